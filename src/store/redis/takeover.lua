-- Claims that change a record that is there: one that was let go, one whose outcome is unknown, one whose lease has ended, one that reads
-- as absent.

if not is_sound(r) then
  return corrupt()
end

local function grant()
  set(r, OWNER, owner)
  set(r, FENCE, next_fence(r[FENCE]))
  set(r, ATTEMPT, text(r[ATTEMPT] + 1))
  take_identity(r)
  hold_lease(r)
  unknown_change = was_unknown and '-1' or nil
  return save(r) or claimed(lease / 1000)
end

if not state then
  local previous = r[FENCE]
  r = blank()
  r[FENCE], r[ATTEMPT] = previous, '0'
  set(r, OPERATION_ID, operation_id)
  set(r, MAY, '0')
  return grant()
end

local executes_again
if state == 'FAILED' then
  executes_again = r[FAILURE] == 'not-executed' or relation == 'same'
else
  executes_again = state == 'UNKNOWN' and on_unknown == 'reforward' and relation == 'same' and caller_same
end
if executes_again then
  if state == 'UNKNOWN' then
    set(r, MAY, '1')
  end
  if relation ~= 'same' then
    set(r, OPERATION_ID, operation_id)
  end
  set(r, LAST_OWNER, r[OWNER])
  return grant()
end

if was_processing then
  note_lapse(r)
  unknown_change = '1'
  local failed = save(r)
  if failed then
    return failed
  end
end
return answer_existing()
