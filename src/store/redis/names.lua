-- The fields of a record, in the order in which scripts handle them.
local NAMES = {
  'v', 'state', 'route', 'owner', 'last_owner', 'fence', 'attempt', 'operation_id',
  'version', 'fingerprint', 'raw', 'caller', 'parts', 'may', 'failure', 'evidence',
  'created_at', 'updated_at', 'lease_until', 'keep_until', 'forget_at',
  'status', 'truncated', 'digest', 'sizes',
}
