-- A claim that finds a record, but for the usual duplicate.

local on_unknown = ARGV[10]

-- What the look for a replay has read, and the rest.
local more = call('HMGET', key, 'route', 'raw', 'parts', 'failure', 'evidence', 'lease_until')
local r = {
  kept[16], kept[1], more[1], kept[2], kept[3], kept[4], kept[5], kept[6],
  kept[17], kept[18], more[2], kept[19], more[3], kept[7], more[4], more[5],
  kept[8], kept[9], more[6], kept[10], kept[11],
  kept[12], kept[13], kept[14], kept[15],
}
if not is_readable(r) then
  return corrupt()
end
local was_processing, was_unknown = r[STATE] == 'PROCESSING', r[STATE] == 'UNKNOWN'
local unknown_change
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
    content = call('GET', KEYS[2])
  end
  r[V], r[STATE] = 'existing', state
  r[SIZES + 1] = text(now)
  r[SIZES + 2] = relation
  r[SIZES + 3] = caller_same and 'same' or 'other'
  r[SIZES + 4] = content
  r[SIZES + 5] = unknown_change
  return r
end

local function claimed(lease_ms)
  return {'claimed', text(now), text(lease_ms), r[FENCE], r[ATTEMPT], r[OPERATION_ID], r[MAY], unknown_change}
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
