#!lua
-- Writes nothing, yet the server refuses it whenever it would refuse a write: as a replica, with full memory, when it can't save.
local time = redis.call('TIME')
return {'ready', string.format('%.0f', time[1] * 1000000 + time[2])}
