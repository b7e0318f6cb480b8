-- What the scripts about one record begin with. CMakeLists.txt tells which texts make a script. What happens most stands early and needs little: a script's
-- functions and constants are made anew each time it runs, and those that come after its `return` are not.
--
-- KEYS[1]  prefix:{route:rid}       the record, a hash, small enough to be stored as one flat list
-- KEYS[2]  prefix:{route:rid}:body  the recorded head and content, one string, which ends with the retention
-- KEYS[3]  prefix:{route:rid}:pieces:fence  the content of a large answer (append.lua), where there is or may be one
--
-- 64-bit numbers (fence, operation id) stay digit strings: as Lua numbers they would lose digits. Times are microseconds, which a
-- double holds exactly until the year 2255.

local KEYS, ARGV, call = KEYS, ARGV, redis.call
local key = KEYS[1]

-- What they are told of the request. `identity` is the hexadecimal version (16), fingerprint (64), raw digest (64) and caller
-- (64), one behind the other; lifetimes are in microseconds.
local owner, operation_id, route, identity, parts = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local lease, unknown_retention, tombstone = ARGV[6], ARGV[7], ARGV[8]
local VERSION_END, FINGERPRINT_END, RAW_END = 16, 80, 144

local time = call('TIME')
local now = time[1] * 1000000 + time[2]

-- tostring() would print 1.7e+15.
local function text(number)
  return string.format('%d', number)
end

-- Lets a key end, with a second to spare: the fields decide, and the key must not end before they do.
local function set_end(name, micros)
  local reply = redis.pcall('PEXPIREAT', name, text(math.ceil(micros / 1000) + 1000))
  return type(reply) == 'table' and reply.err and reply
end
