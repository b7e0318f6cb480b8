-- Claims that change a record that is there: one that was let go, one whose outcome is unknown, one whose lease has ended, one that reads
-- as absent.

local function grant()
  r.owner, r.fence, r.attempt = owner, next_fence(r.fence), text(r.attempt + 1)
  r.identity, r.parts = identity, parts
  hold_lease(r)
  unknown_change = was_unknown and '-1' or nil
  save(r)
  return claimed(lease / 1000)
end

if not state then
  local previous = r.fence
  r = blank()
  r.fence = previous
  return grant()
end

local executes_again
if state == 'FAILED' then
  executes_again = r.failure == 'not-executed' or relation_is_same
else
  executes_again = state == 'UNKNOWN' and on_unknown == 'reforward' and relation_is_same and caller_is_same
end
if executes_again then
  if state == 'UNKNOWN' then
    r.may = '1'
  end
  if not relation_is_same then
    r.operation_id = operation_id
  end
  r.last_owner = r.owner
  return grant()
end

if was_processing then
  unknown_change = '1'
  kept = save(r)
end
return answer_existing()
