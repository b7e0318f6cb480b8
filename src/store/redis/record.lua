-- The record of one key, and how it is read. The texts of this folder are put together to two scripts: claim (record, claim, changes,
-- takeover) and command (record, complete, changes, command). What happens most stands early and needs little: a script's functions are
-- made anew each time it runs, and those that come after its `return` are not.
--
-- KEYS[1]  prefix:{route:rid}       the record, a hash
-- KEYS[2]  prefix:{route:rid}:body  the recorded content, a hash with one field, which ends with the retention
--
-- 64-bit numbers (fence, operation id) stay digit strings: as Lua numbers they would lose digits. Times are microseconds, which a
-- double holds exactly until the year 2255.

local KEYS, ARGV, call = KEYS, ARGV, redis.call
local key = KEYS[1]

-- What both scripts are told of the request; lifetimes are in microseconds.
local owner, operation_id, route = ARGV[1], ARGV[2], ARGV[3]
local version, fingerprint, raw, caller, parts = ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local lease, unknown_retention, tombstone = ARGV[9], ARGV[10], ARGV[11]

local time = call('TIME')
local now = time[1] * 1000000 + time[2]

-- tostring() would print 1.7e+15.
local function text(number)
  return string.format('%.0f', number)
end

-- Lets a key end, with a second to spare: the fields decide, and the key must not end before they do.
local function set_end(name, micros)
  local reply = redis.pcall('PEXPIREAT', name, text(math.ceil(micros / 1000) + 1000))
  return type(reply) == 'table' and reply.err and reply
end

local function corrupt()
  return redis.error_reply('CORRUPT the record can not be read')
end

local V, STATE, ROUTE, OWNER, LAST_OWNER, FENCE, ATTEMPT, OPERATION_ID = 1, 2, 3, 4, 5, 6, 7, 8
local VERSION, FINGERPRINT, RAW, CALLER, PARTS, MAY, FAILURE, EVIDENCE = 9, 10, 11, 12, 13, 14, 15, 16
local CREATED_AT, UPDATED_AT, LEASE_UNTIL, KEEP_UNTIL, FORGET_AT = 17, 18, 19, 20, 21
local STATUS, TRUNCATED, DIGEST, SIZE, HEAD = 22, 23, 24, 25, 26

local function is_number(value, most_digits)
  return value and #value <= most_digits and string.find(value, '^%d+$')
end

-- The stored fields, in the order above; false when they can't be read. A key of another type is an error of HMGET itself.
local function load()
  local r = call('HMGET', key,
    'v', 'state', 'route', 'owner', 'last_owner', 'fence', 'attempt', 'operation_id',
    'version', 'fingerprint', 'raw', 'caller', 'parts', 'may', 'failure', 'evidence',
    'created_at', 'updated_at', 'lease_until', 'keep_until', 'forget_at',
    'status', 'truncated', 'digest', 'size', 'head')
  local state = r[STATE]
  if r[V] ~= '1' or not (state == 'PROCESSING' or state == 'COMPLETED' or state == 'FAILED' or state == 'UNKNOWN')
    or not is_number(r[LEASE_UNTIL], 18) or not is_number(r[KEEP_UNTIL], 18) or not is_number(r[FORGET_AT], 18) then
    return false
  end
  return r
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
