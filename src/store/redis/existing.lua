-- A claim that finds a record, but for the usual duplicate.

local on_unknown = ARGV[9]

local r = parse(kept)
if not r then
  return corrupt()
end
local was_processing, was_unknown = r.state == 'PROCESSING', r.state == 'UNKNOWN'
local unknown_change
local state = read(r)

-- The parts of an identity: fingerprints are comparable under the same version only, raw digests always.
local FINGERPRINT_END, RAW_END = 80, 144
local relation_is_same
if sub(r.identity, 1, 16) == sub(identity, 1, 16) then
  relation_is_same = sub(r.identity, 1, FINGERPRINT_END) == sub(identity, 1, FINGERPRINT_END)
else
  relation_is_same = sub(r.identity, FINGERPRINT_END + 1, RAW_END) == sub(identity, FINGERPRINT_END + 1, RAW_END)
end
local caller_is_same = sub(r.identity, RAW_END + 1) == sub(identity, RAW_END + 1)

local function answer_existing()
  local content = state == 'COMPLETED' and relation_is_same and caller_is_same and call('GET', KEYS[2])
  return {'record', clock, kept, content, unknown_change}
end

local function claimed(lease_ms)
  return {'claimed', clock, text(lease_ms), r.fence, r.attempt, r.operation_id, r.may, unknown_change}
end

if state then
  if r.owner == owner then
    -- A claim whose reply was lost, sent again.
    if state == 'PROCESSING' then
      return claimed(math.floor((r.lease_until - now) / 1000))
    end
    return {'late', clock}
  end
  if r.last_owner == owner then
    return {'late', clock}
  end
  if state == 'PROCESSING' or state == 'COMPLETED' or (state == 'EXPIRED' and not was_processing) then
    return answer_existing()
  end
end
