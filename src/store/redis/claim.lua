-- Asks to be the one that executes: guard::claim of record_machine.cpp.
--
-- No `#!lua` line: with full memory the script must still run, so that a recorded answer is found; the first write of a new claim
-- is then refused and nothing was changed.
--
-- ARGV[12]  deadline on this clock    ARGV[13]  hold | reforward
-- Replies   late, now
--           claimed, now, lease left in ms, fence, attempt, operation_id, may
--           existing, the fields of NAMES after `v`, now, relation, same | other caller [, content]

local deadline, on_unknown = tonumber(ARGV[12]), ARGV[13]

-- A command that waited in the server or on the way for too long: its sender has given up and would not know of the claim.
if now > deadline then
  return {'late', text(now)}
end

local function claimed(r, lease_ms)
  return {'claimed', text(now), text(lease_ms), r[FENCE], r[ATTEMPT], r[OPERATION_ID], r[MAY]}
end

local function grant(r, is_new)
  set(r, OWNER, owner)
  set(r, FENCE, next_fence(r[FENCE]))
  set(r, ATTEMPT, text(r[ATTEMPT] + 1))
  take_identity(r)
  hold_lease(r)
  return save(r, is_new) or claimed(r, lease / 1000)
end

local function grant_first(previous_fence)
  local r = blank()
  r[FENCE] = previous_fence
  r[ATTEMPT] = '0'
  set(r, OPERATION_ID, operation_id)
  set(r, MAY, '0')
  return grant(r, true)
end

local function grant_again(r)
  if not is_sound(r) then
    return CORRUPT
  end
  if r[STATE] == 'UNKNOWN' then
    set(r, MAY, '1')
  end
  if relate(r) ~= 'same' then
    set(r, OPERATION_ID, operation_id)
  end
  set(r, LAST_OWNER, r[OWNER])
  return grant(r, false)
end

local function executes_again(r, state)
  if state == 'FAILED' then
    return r[FAILURE] == 'not-executed' or relate(r) == 'same'
  end
  return state == 'UNKNOWN' and on_unknown == 'reforward' and relate(r) == 'same' and r[CALLER] == caller
end

local function answer_existing(r, state)
  -- The only change there can be is that a lease has ended.
  if #changed > 0 then
    if not is_sound(r) then
      return CORRUPT
    end
    local failed = save(r, false)
    if failed then
      return failed
    end
  end
  local relation = relate(r)
  local caller_same = r[CALLER] == caller
  local content = false
  if state == 'COMPLETED' and relation == 'same' and caller_same then
    content = ''
    if r[TRUNCATED] ~= '1' and r[SIZE] ~= '0' then
      content = redis.call('HGET', KEYS[2], 'body')
      if not content or text(#content) ~= r[SIZE] then
        return CORRUPT
      end
    end
  else
    r[HEAD] = false
  end
  r[V] = 'existing'
  r[STATE] = state
  r[HEAD + 1] = text(now)
  r[HEAD + 2] = relation
  r[HEAD + 3] = caller_same and 'same' or 'other'
  r[HEAD + 4] = content
  return r
end

local r = load()
if r == false then
  return CORRUPT
end
local state = r and read(r)
if not state then
  if r and not is_sound(r) then
    return CORRUPT
  end
  return grant_first(r and r[FENCE] or '0')
end
if r[OWNER] == owner then
  -- A claim whose reply was lost, sent again.
  if state == 'PROCESSING' then
    return claimed(r, math.floor((r[LEASE_UNTIL] - now) / 1000))
  end
  return {'late', text(now)}
end
if r[LAST_OWNER] == owner then
  return {'late', text(now)}
end
if executes_again(r, state) then
  return grant_again(r)
end
return answer_existing(r, state)
