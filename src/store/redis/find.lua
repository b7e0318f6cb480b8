-- A record as it is stored. Its reader tells how it reads.
--
-- KEYS     as in start.lua
-- ARGV[1]  content | fields
-- Replies  absent, now
--          record, now, the record, head and content

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000000 + time[2])
local kept = redis.call('GET', KEYS[1])
if not kept then
  return {'absent', now}
end
return {'record', now, kept, ARGV[1] == 'content' and redis.call('GET', KEYS[2])}
