-- A record as it is stored. Its reader tells how it reads.
--
-- KEYS     as in start.lua
-- ARGV[1]  content | fields
-- Replies  absent, now
--          record, now, the fields of the record, head and content

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000000 + time[2])
if redis.call('EXISTS', KEYS[1]) == 0 then
  return {'absent', now}
end
local reply = {'record', now}
for field, value in ipairs(redis.call('HMGET', KEYS[1], unpack(NAMES))) do
  reply[field + 2] = value
end
reply[#NAMES + 3] = ARGV[1] == 'content' and redis.call('GET', KEYS[2])
return reply
