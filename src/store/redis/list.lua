-- A small step through all keys, of which the records' are shown as they are stored. Which keys there are is not known before, so none
-- is declared; only keys of this server's own are met.
--
-- ARGV[1]  where SCAN goes on, ARGV[2] the pattern of names, ARGV[3] about how many keys to look at
-- ARGV[4]  stored states that are asked for, each between commas; empty: all, and what can't be read
-- Replies  where to go on (0: that was the end), now, for each record its key and its fields

local time = redis.call('TIME')
local step = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
local reply = {step[1], string.format('%.0f', time[1] * 1000000 + time[2])}

local function is_asked_for(name)
  if ARGV[4] == '' then
    return true
  end
  local state = redis.pcall('HGET', name, 'state')
  return type(state) == 'string' and string.find(ARGV[4], ',' .. state .. ',', 1, true)
end

for _, name in ipairs(step[2]) do
  if is_asked_for(name) then
    -- A key of another type is an error without fields.
    local fields = redis.pcall('HMGET', name, unpack(NAMES))
    reply[#reply + 1] = name
    for field = 1, #NAMES do
      reply[#reply + 1] = fields[field] or false
    end
  end
end
return reply
