-- A small step through all keys, of which the records' are shown as they are stored. Which keys there are is not known before, so none
-- is declared; only keys of this server's own are met.
--
-- ARGV[1]  where SCAN goes on, ARGV[2] the pattern of names, ARGV[3] about how many keys to look at
-- ARGV[4]  stored states that are asked for, each between commas; empty: all, and what can't be read
-- Replies  where to go on (0: that was the end), now, for each record its key and itself; nil for what is no text

local time = redis.call('TIME')
local step = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
local reply = {step[1], string.format('%.0f', time[1] * 1000000 + time[2])}

for _, name in ipairs(step[2]) do
  -- A key of another type is an error.
  local kept = redis.pcall('GET', name)
  local state = type(kept) == 'string' and string.match(kept, '^2 (%u+) ')
  if ARGV[4] == '' or (state and string.find(ARGV[4], ',' .. state .. ',', 1, true)) then
    reply[#reply + 1] = name
    reply[#reply + 1] = type(kept) == 'string' and kept
  end
end
return reply
