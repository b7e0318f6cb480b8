
-- What the scripts about one record begin with. CMakeLists.txt tells which texts make a script. What happens most stands early and needs little: a script's
-- functions and constants are made anew each time it runs, and those that come after its `return` are not.
--
-- KEYS[1]  prefix:{route:rid}       the record, one string (below)
-- KEYS[2]  prefix:{route:rid}:body  the recorded head and content, one string, which ends with the retention
-- KEYS[3]  prefix:{route:rid}:pieces:fence  the content of a large answer (append.lua), where there is or may be one
--
-- A record is text of three lines; what stands before `last_owner` has the same place in each record:
--
--   2 state may owner until identity last_owner fence attempt operation_id created_at parts
--   updated_at other forget_at failure [status truncated digest sizes]
--   evidence
--
-- `state` is padded to 10 with spaces, `until` to 18 digits with zeros. While PROCESSING, `until` is the end of the lease and `other` the
-- time that the record is kept until; else `until` is that time and `other` the end of the last lease. `failure` and `last_owner` are
-- a dash where there is none. `identity` is the hexadecimal version (16), fingerprint (64), raw digest (64) and caller (64), one behind
-- the other.
--
-- 64-bit numbers (fence, operation id) stay digit strings: as Lua numbers they would lose digits. Times are microseconds, which a
-- double holds exactly until the year 2255.

local KEYS, ARGV, call, format, sub = KEYS, ARGV, redis.call, string.format, string.sub
local key = KEYS[1]

-- Where things stand in a record.
local MAY, OWNER, OWNER_END, UNTIL, UNTIL_END = 14, 16, 47, 49, 66
local IDENTITY, IDENTITY_END, BEHIND_IDENTITY = 68, 275, 277

-- What they are told of the request; lifetimes are in microseconds.
local owner, operation_id, identity, parts = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local lease, unknown_retention, tombstone = ARGV[5], ARGV[6], ARGV[7]

local time = call('TIME')
local now = time[1] * 1000000 + time[2]

-- tostring() would print 1.7e+15.
local function text(number)
  return format('%d', number)
end
local clock = text(now)

-- When a key ends whose record or content is kept until `micros`, with a second to spare: the times in the record decide, and the key
-- must not end before they do.
local function end_of(micros)
  return text(micros / 1000 + 1001)
end
