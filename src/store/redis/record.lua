-- The record of one key, as the scripts read and write it. This text stands before claim.lua and command.lua.
--
-- KEYS[1]  prefix:{route:rid}       the record, a hash
-- KEYS[2]  prefix:{route:rid}:body  the recorded content, a hash with one field, which ends with the retention
--
-- 64-bit numbers (fence, operation id) stay digit strings: as Lua numbers they would lose digits. Times are microseconds, which a
-- double holds exactly until the year 2255.

local V, STATE, ROUTE, OWNER, LAST_OWNER, FENCE, ATTEMPT, OPERATION_ID = 1, 2, 3, 4, 5, 6, 7, 8
local VERSION, FINGERPRINT, RAW, CALLER, PARTS, MAY, FAILURE, EVIDENCE = 9, 10, 11, 12, 13, 14, 15, 16
local CREATED_AT, UPDATED_AT, LEASE_UNTIL, KEEP_UNTIL, FORGET_AT = 17, 18, 19, 20, 21
local STATUS, TRUNCATED, DIGEST, SIZE, HEAD = 22, 23, 24, 25, 26
local NAMES = {
  'v', 'state', 'route', 'owner', 'last_owner', 'fence', 'attempt', 'operation_id',
  'version', 'fingerprint', 'raw', 'caller', 'parts', 'may', 'failure', 'evidence',
  'created_at', 'updated_at', 'lease_until', 'keep_until', 'forget_at',
  'status', 'truncated', 'digest', 'size', 'head',
}
local STATES = {PROCESSING = true, COMPLETED = true, FAILED = true, UNKNOWN = true}

-- What both scripts are told of the request.
local owner, operation_id, route = ARGV[1], ARGV[2], ARGV[3]
local version, fingerprint, raw, caller, parts = ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local lease, unknown_retention, tombstone = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- tostring() would print 1.7e+15.
local function text(number)
  return string.format('%.0f', number)
end

local CORRUPT = redis.error_reply('CORRUPT the record can not be read')

local function is_number(value, most_digits)
  return value and #value <= most_digits and string.find(value, '^%d+$')
end

local function is_hex(value, length)
  return value and #value == length and not string.find(value, '[^0-9a-f]')
end

-- Whether a record may be written further. What is only read is checked by the reader of the reply.
local function is_sound(r)
  return is_hex(r[OWNER], 32) and (not r[LAST_OWNER] or is_hex(r[LAST_OWNER], 32))
    and is_number(r[FENCE], 19) and (#r[FENCE] < 19 or r[FENCE] < '9223372036854775807')
    and is_number(r[ATTEMPT], 10) and tonumber(r[ATTEMPT]) < 4294967295
    and is_number(r[OPERATION_ID], 19) and is_hex(r[VERSION], 16)
    and is_hex(r[FINGERPRINT], 64) and is_hex(r[RAW], 64) and is_hex(r[CALLER], 64)
    and (r[MAY] == '0' or r[MAY] == '1')
    and (r[STATE] ~= 'FAILED' or r[FAILURE] == 'not-executed' or r[FAILURE] == 'answered')
    and is_number(r[CREATED_AT], 18)
end

local is_stored = true

-- The stored fields; nil when the key is absent; false when they can't be read. A key of another type is an error of HMGET itself.
local function load()
  local r = redis.call('HMGET', KEYS[1], unpack(NAMES))
  if not r[V] and not r[STATE] and redis.call('EXISTS', KEYS[1]) == 0 then
    is_stored = false
    return nil
  end
  if r[V] ~= '1' or not r[STATE] or not STATES[r[STATE]]
    or not is_number(r[LEASE_UNTIL], 18) or not is_number(r[KEEP_UNTIL], 18) or not is_number(r[FORGET_AT], 18) then
    return false
  end
  return r
end

local changed = {}

local function set(r, field, value)
  r[field] = value
  changed[#changed + 1] = NAMES[field]
  changed[#changed + 1] = value
end

local function keep(r, until_when, then_tombstone)
  set(r, KEEP_UNTIL, text(until_when))
  set(r, FORGET_AT, text(until_when + then_tombstone))
end

-- How the record reads now: 'EXPIRED' as well, and nil when it reads absent. An ended lease is noted in `r` as a change.
local function read(r)
  if r[STATE] == 'PROCESSING' then
    local lease_until = tonumber(r[LEASE_UNTIL])
    if now < lease_until then
      return 'PROCESSING'
    end
    set(r, STATE, 'UNKNOWN')
    set(r, EVIDENCE, 'lease')
    keep(r, lease_until + unknown_retention, tombstone)
  end
  if now < tonumber(r[KEEP_UNTIL]) then
    return r[STATE]
  end
  if r[STATE] == 'FAILED' or now >= tonumber(r[FORGET_AT]) then
    return nil
  end
  return 'EXPIRED'
end

local function relate(r)
  if r[VERSION] == version then
    return r[FINGERPRINT] == fingerprint and 'same' or 'differs'
  end
  return r[RAW] == raw and 'same' or 'changed'
end

-- Greater than every fence before, also when the record was lost: max(previous + 1, now), on digit strings.
local function next_fence(previous)
  local head, digit, nines = string.match(previous, '^(%d-)(%d)(9*)$')
  local successor = head .. (digit + 1) .. string.rep('0', #nines)
  local clock = text(now)
  if #successor > #clock or (#successor == #clock and successor > clock) then
    return successor
  end
  return clock
end

-- A record that nothing is stored of: whatever reads as absent is dropped.
local function blank()
  changed = {}
  local r = {}
  set(r, V, '1')
  set(r, CREATED_AT, text(now))
  return r
end

local function take_identity(r)
  set(r, ROUTE, route)
  set(r, VERSION, version)
  set(r, FINGERPRINT, fingerprint)
  set(r, RAW, raw)
  set(r, CALLER, caller)
  set(r, PARTS, parts)
end

local function hold_lease(r)
  set(r, STATE, 'PROCESSING')
  set(r, EVIDENCE, '')
  set(r, UPDATED_AT, text(now))
  set(r, LEASE_UNTIL, text(now + lease))
  keep(r, now + lease + unknown_retention, tombstone)
end

-- Milliseconds for PEXPIREAT. The fields decide; the key only must not end before they do.
local function end_of(micros)
  return text(math.ceil(micros / 1000) + 1000)
end

-- What an earlier life of the key left behind: a new record writes every field that it has.
local function drop_stale_fields()
  local written = {}
  for i = 1, #changed, 2 do
    written[changed[i]] = true
  end
  for _, name in ipairs(NAMES) do
    if not written[name] then
      redis.call('HDEL', KEYS[1], name)
    end
  end
end

-- Writes what changed, and the end of the key with it. A new record that can't be given an end is taken back. HSET comes first: with its
-- memory full Redis refuses a script at the first write, and no more once a DEL has been let through.
local function save(r, is_new)
  redis.call('HSET', KEYS[1], unpack(changed))
  if is_new and is_stored then
    drop_stale_fields()
  end
  local ended = redis.pcall('PEXPIREAT', KEYS[1], end_of(r[FORGET_AT]))
  if type(ended) == 'table' and ended.err then
    if is_new then
      redis.pcall('DEL', KEYS[1])
    end
    return ended
  end
end
