-- How a stored record is read.

local version, fingerprint = string.sub(identity, 1, VERSION_END), string.sub(identity, VERSION_END + 1, FINGERPRINT_END)
local raw, caller = string.sub(identity, FINGERPRINT_END + 1, RAW_END), string.sub(identity, RAW_END + 1)

local function corrupt()
  return redis.error_reply('CORRUPT the record can not be read')
end

local V, STATE, ROUTE, OWNER, LAST_OWNER, FENCE, ATTEMPT, OPERATION_ID = 1, 2, 3, 4, 5, 6, 7, 8
local VERSION, FINGERPRINT, RAW, CALLER, PARTS, MAY, FAILURE, EVIDENCE = 9, 10, 11, 12, 13, 14, 15, 16
local CREATED_AT, UPDATED_AT, LEASE_UNTIL, KEEP_UNTIL, FORGET_AT = 17, 18, 19, 20, 21
local STATUS, TRUNCATED, DIGEST, SIZES = 22, 23, 24, 25

local function is_number(value, most_digits)
  return value and #value <= most_digits and string.find(value, '^%d+$')
end

-- Whether stored fields, in the order above, can be read.
local function is_readable(r)
  local state = r[STATE]
  return r[V] == '1' and (state == 'PROCESSING' or state == 'COMPLETED' or state == 'FAILED' or state == 'UNKNOWN')
    and is_number(r[LEASE_UNTIL], 18) and is_number(r[KEEP_UNTIL], 18) and is_number(r[FORGET_AT], 18)
end

-- How the record reads now: 'EXPIRED' as well, and nil when it reads absent. A lease that has ended changes `r`.
local function read(r)
  local state, keep_until, forget_at = r[STATE], tonumber(r[KEEP_UNTIL]), tonumber(r[FORGET_AT])
  if state == 'PROCESSING' then
    local lease_until = tonumber(r[LEASE_UNTIL])
    if now < lease_until then
      return state
    end
    state, keep_until = 'UNKNOWN', lease_until + unknown_retention
    forget_at = keep_until + tombstone
    r[STATE], r[EVIDENCE], r[KEEP_UNTIL], r[FORGET_AT] = state, 'lease', text(keep_until), text(forget_at)
  end
  if now < keep_until then
    return state
  end
  if state == 'FAILED' or now >= forget_at then
    return nil
  end
  return 'EXPIRED'
end
