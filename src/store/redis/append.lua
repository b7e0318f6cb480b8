#!lua
-- Stores a piece of an answer that is being received: guard::append of content_piece.cpp.
--
-- KEYS[1]  prefix:{route:rid}               the record
-- KEYS[2]  prefix:{route:rid}:pieces:fence  a hash, number → bytes: the pieces of one attempt
-- ARGV     owner, number, bytes, how long they are kept (milliseconds)
-- Replies  appended | fenced, now

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000000 + time[2])
local kept = redis.call('GET', KEYS[1])
if kept then
  local state, owner = string.match(kept, '^2 (%u+) *[01] (%x+) ')
  if owner ~= ARGV[1] or (state ~= 'PROCESSING' and state ~= 'UNKNOWN') then
    return {'fenced', now}
  end
end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
local ended = redis.pcall('PEXPIREAT', KEYS[2], string.format('%.0f', math.ceil(now / 1000) + ARGV[4]))
if type(ended) == 'table' and ended.err then
  -- Pieces that can't be given an end are taken back.
  redis.pcall('DEL', KEYS[2])
  return ended
end
return {'appended', now}
