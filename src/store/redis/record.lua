-- How a stored record is read and written, as a table: numbers and times as digits, what there is none of is false.

local function corrupt()
  return redis.error_reply('CORRUPT the record can not be read')
end

local STATES = {PROCESSING = true, COMPLETED = true, FAILED = true, UNKNOWN = true}
local HEX, NUMBER = '([0-9a-f]+) ', '(%d+) '
local RECORD = '^2 (%u+) *([01]) ' .. HEX .. NUMBER .. HEX .. '([0-9a-f-]+) ' .. NUMBER .. NUMBER .. NUMBER .. NUMBER .. '([^\n]*)\n'
  .. NUMBER .. NUMBER .. '(%d+) ([a-z-]+) ?([^\n]*)\n([^\n]*)$'

-- Whether all numbers are small enough for their kind. A fence and an attempt have to have a successor.
local function are_in_range(r)
  return (#r.fence < 19 or (#r.fence == 19 and r.fence < '9223372036854775807')) and #r.attempt <= 10 and tonumber(r.attempt) < 4294967295
    and (#r.operation_id < 19 or (#r.operation_id == 19 and r.operation_id <= '9223372036854775807'))
    and #r.created_at <= 18 and #r.updated_at <= 18 and #r.lease_until <= 18 and #r.keep_until <= 18 and #r.forget_at <= 18
end

-- Nothing when the text can't be read.
local function parse(record)
  local r, until_when, other = {}, nil, nil
  r.state, r.may, r.owner, until_when, r.identity, r.last_owner, r.fence, r.attempt, r.operation_id, r.created_at, r.parts,
    r.updated_at, other, r.forget_at, r.failure, r.answer, r.evidence = string.match(record, RECORD)
  if not STATES[r.state] or #r.owner ~= OWNER_END - OWNER + 1 or #until_when ~= UNTIL_END - UNTIL + 1
    or #r.identity ~= IDENTITY_END - IDENTITY + 1 or sub(record, IDENTITY, IDENTITY_END) ~= r.identity
    or (r.last_owner ~= '-' and #r.last_owner ~= #r.owner) or (r.state == 'COMPLETED') ~= (r.answer ~= '') then
    return nil
  end
  if r.state == 'PROCESSING' then
    r.lease_until, r.keep_until = until_when, other
  else
    r.lease_until, r.keep_until = other, until_when
  end
  local is_failure = r.failure == 'not-executed' or r.failure == 'answered'
  if not are_in_range(r) or (r.state == 'FAILED') ~= is_failure or (not is_failure and r.failure ~= '-') then
    return nil
  end
  return r
end

local function compose(r)
  local until_when, other = r.keep_until, r.lease_until
  if r.state == 'PROCESSING' then
    until_when, other = other, until_when
  end
  return '2 ' .. format('%-10s ', r.state) .. r.may .. ' ' .. r.owner .. ' ' .. string.rep('0', 18 - #until_when) .. until_when .. ' '
    .. r.identity .. ' ' .. r.last_owner .. ' ' .. r.fence .. ' ' .. r.attempt .. ' ' .. r.operation_id .. ' ' .. r.created_at .. ' '
    .. r.parts .. '\n' .. r.updated_at .. ' ' .. other .. ' ' .. r.forget_at .. ' ' .. (r.state == 'FAILED' and r.failure or '-')
    .. (r.state == 'COMPLETED' and ' ' .. r.answer or '') .. '\n' .. r.evidence
end

-- How the record reads now: 'EXPIRED' as well, and nil when it reads absent. A lease that has ended changes `r`.
local function read(r)
  local state, keep_until, forget_at = r.state, tonumber(r.keep_until), tonumber(r.forget_at)
  if state == 'PROCESSING' then
    local lease_until = tonumber(r.lease_until)
    if now < lease_until then
      return state
    end
    state, keep_until = 'UNKNOWN', lease_until + unknown_retention
    forget_at = keep_until + tombstone
    r.state, r.evidence, r.keep_until, r.forget_at = state, 'lease', text(keep_until), text(forget_at)
  end
  if now < keep_until then
    return state
  end
  if state == 'FAILED' or now >= forget_at then
    return nil
  end
  return 'EXPIRED'
end
