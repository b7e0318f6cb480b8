-- Asks to be the one that executes: guard::claim of claim.cpp. Here: the first claim of a key, and answers that change nothing.
--
-- No `#!lua` line: with full memory the script must still run, so that a recorded answer is found; the first write of a new claim
-- is then refused and nothing was changed.
--
-- ARGV[12]  deadline on this clock    ARGV[13]  hold | reforward
-- Replies   late, now
--           claimed, now, lease left in ms, fence, attempt, operation_id, may
--           existing, the fields of the record after `v`, now, relation, same | other caller [, content]

local on_unknown = ARGV[13]

-- A command that waited in the server or on the way for too long: its sender has given up and would not know of the claim.
if now > tonumber(ARGV[12]) then
  return {'late', text(now)}
end

if call('EXISTS', key) == 0 then
  local clock, lease_until = text(now), now + lease
  local keep_until = lease_until + unknown_retention
  local forget_at = keep_until + tombstone
  call('HSET', key, 'v', '1', 'state', 'PROCESSING', 'route', route, 'owner', owner, 'fence', clock, 'attempt', '1',
    'operation_id', operation_id, 'version', version, 'fingerprint', fingerprint, 'raw', raw, 'caller', caller, 'parts', parts,
    'may', '0', 'created_at', clock, 'updated_at', clock, 'lease_until', text(lease_until), 'keep_until', text(keep_until),
    'forget_at', text(forget_at))
  local failed = set_end(key, forget_at)
  if failed then
    -- A record that can't be given an end is taken back.
    redis.pcall('DEL', key)
    return failed
  end
  return {'claimed', clock, text(lease / 1000), clock, '1', operation_id, '0'}
end

local r = load()
if not r then
  return corrupt()
end
local was_processing = r[STATE] == 'PROCESSING'
local state = read(r)

local relation
if r[VERSION] == version then
  relation = r[FINGERPRINT] == fingerprint and 'same' or 'differs'
else
  relation = r[RAW] == raw and 'same' or 'changed'
end
local caller_same = r[CALLER] == caller

local function answer_existing()
  local content = false
  if state == 'COMPLETED' and relation == 'same' and caller_same then
    content = ''
    if r[TRUNCATED] ~= '1' and r[SIZE] ~= '0' then
      content = call('HGET', KEYS[2], 'body')
      if not content or text(#content) ~= r[SIZE] then
        return corrupt()
      end
    end
  else
    r[HEAD] = false
  end
  r[V], r[STATE] = 'existing', state
  r[HEAD + 1] = text(now)
  r[HEAD + 2] = relation
  r[HEAD + 3] = caller_same and 'same' or 'other'
  r[HEAD + 4] = content
  return r
end

local function claimed(lease_ms)
  return {'claimed', text(now), text(lease_ms), r[FENCE], r[ATTEMPT], r[OPERATION_ID], r[MAY]}
end

if state then
  if r[OWNER] == owner then
    -- A claim whose reply was lost, sent again.
    if state == 'PROCESSING' then
      return claimed(math.floor((r[LEASE_UNTIL] - now) / 1000))
    end
    return {'late', text(now)}
  end
  if r[LAST_OWNER] == owner then
    return {'late', text(now)}
  end
  if state == 'PROCESSING' or state == 'COMPLETED' or (state == 'EXPIRED' and not was_processing) then
    return answer_existing()
  end
end
