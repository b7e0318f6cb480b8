-- What the scripts that change a record share. Their own arguments follow those of start.lua:
--
-- ARGV[8]   what is asked for
-- ARGV[9]   to ARGV[11]: see complete.lua and operate.lua
-- ARGV[12]  retention
-- ARGV[13]  of an answer: `status truncated digest sizes`, one text. Its sizes are those of head and content in bytes; of content in pieces
--           0 and behind it its size
-- ARGV[14]  of an answer: head and content

local action, retention = ARGV[8], ARGV[12]

-- Waiting duplicates look again when they hear of it. Best effort: a user without rights on channels loses no write.
local function publish(state)
  redis.pcall('PUBLISH', sub(key, 1, string.find(key, ':', 1, true)) .. 'changed:' .. sub(key, -65, -2), state)
end

-- Before the record: one that says COMPLETED without its content can't be replayed.
local function save_content(keep_until)
  if #ARGV[14] > 0 then
    call('SET', KEYS[2], ARGV[14], 'PXAT', end_of(keep_until))
  end
  if KEYS[3] then
    call('PEXPIREAT', KEYS[3], end_of(keep_until))
  end
end
