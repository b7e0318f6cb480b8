-- Asks to be the one that executes: guard::claim of claim.cpp. Here: the first claim of a key, and answers that change nothing.
--
-- No `#!lua` line: with full memory the script must still run, so that a recorded answer is found; the first write of a new claim
-- is then refused and nothing was changed.
--
-- ARGV[9]  deadline on this clock    ARGV[10]  hold | reforward
-- Replies   late, now
--           claimed, now, lease left in ms, fence, attempt, operation_id, may [, change]
--           replay, owner, last_owner, fence, attempt, operation_id, may, created_at, updated_at, keep_until, forget_at, status,
--             truncated, digest, sizes, now, head and content: of an identity that is the request's own
--           existing, the fields of the record after `v`, now, relation, same | other caller, head and content or nil [, change]
-- `change` is what this did to the number of UNKNOWN records, -1 or 1; without it, nothing.

-- A command that waited in the server or on the way for too long: its sender has given up and would not know of the claim.
if now > tonumber(ARGV[9]) then
  return {'late', text(now)}
end

if call('EXISTS', key) == 0 then
  local clock, lease_until = text(now), now + lease
  local keep_until = lease_until + unknown_retention
  local forget_at = keep_until + tombstone
  call('HSET', key, 'v', '1', 'state', 'PROCESSING', 'route', route, 'owner', owner, 'fence', clock, 'attempt', '1',
    'operation_id', operation_id, 'version', string.sub(identity, 1, VERSION_END),
    'fingerprint', string.sub(identity, VERSION_END + 1, FINGERPRINT_END), 'raw', string.sub(identity, FINGERPRINT_END + 1, RAW_END),
    'caller', string.sub(identity, RAW_END + 1), 'parts', parts, 'may', '0', 'created_at', clock, 'updated_at', clock,
    'lease_until', text(lease_until), 'keep_until', text(keep_until), 'forget_at', text(forget_at))
  local failed = set_end(key, forget_at)
  if failed then
    -- A record that can't be given an end is taken back.
    redis.pcall('DEL', key)
    return failed
  end
  return {'claimed', clock, text(lease / 1000), clock, '1', operation_id, '0'}
end

-- The usual duplicate.
local kept = call('HMGET', key, 'state', 'owner', 'last_owner', 'fence', 'attempt', 'operation_id', 'may', 'created_at', 'updated_at',
  'keep_until', 'forget_at', 'status', 'truncated', 'digest', 'sizes', 'v', 'version', 'fingerprint', 'caller')
if kept[1] == 'COMPLETED' and kept[16] == '1' and kept[17] == string.sub(identity, 1, VERSION_END)
  and kept[18] == string.sub(identity, VERSION_END + 1, FINGERPRINT_END) and kept[19] == string.sub(identity, RAW_END + 1)
  and kept[2] ~= owner and kept[3] ~= owner and kept[10] and #kept[10] < 19 and now < (tonumber(kept[10]) or 0) then
  kept[1] = 'replay'
  kept[16] = text(now)
  kept[17] = call('GET', KEYS[2])
  kept[18], kept[19] = nil, nil
  return kept
end
