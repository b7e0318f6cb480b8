-- How a stored record is changed. What reads as absent is written anew over what is left of it.

local function keep(r, until_when, then_tombstone)
  r.keep_until, r.forget_at = text(until_when), text(until_when + then_tombstone)
end

-- Greater than every fence before, also when the record was lost: max(previous + 1, now), on digit strings.
local function next_fence(previous)
  local head, digit, nines = string.match(previous, '^(%d-)(%d)(9*)$')
  local successor = head .. (digit + 1) .. string.rep('0', #nines)
  if #successor > #clock or (#successor == #clock and successor > clock) then
    return successor
  end
  return clock
end

-- A record of this request's identity that nobody has yet.
local function blank()
  return {
    may = '0', owner = false, last_owner = '-', fence = '0', attempt = '0', operation_id = operation_id, created_at = clock,
    lease_until = '0', identity = identity, parts = parts, evidence = '',
  }
end

local function hold_lease(r)
  r.state, r.evidence, r.updated_at, r.lease_until = 'PROCESSING', '', clock, text(now + lease)
  keep(r, now + lease + unknown_retention, tombstone)
end

-- Writes the record and its end in one command. It is the first write but for content: full memory refuses it, but only as long as the
-- script has written nothing. Returns the text.
local function save(r)
  local record = compose(r)
  call('SET', key, record, 'PXAT', end_of(r.forget_at))
  return record
end
