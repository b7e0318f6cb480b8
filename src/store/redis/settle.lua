-- What the scripts that change a record share. Their own arguments follow those of start.lua:
--
-- ARGV[9]   what is asked for
-- ARGV[10]  to ARGV[12]: see command.lua and operate.lua
-- ARGV[13]  retention
-- ARGV[14]  of an answer: status, ARGV[15] truncated, ARGV[16] digest, ARGV[17] the sizes of head and content in bytes, with a space
--           between, of content in pieces 0 and behind it its size, ARGV[18] head and content

local action, retention = ARGV[9], ARGV[13]

-- Waiting duplicates look again when they hear of it. Best effort: a user without rights on channels loses no write.
local function publish(state)
  local prefix = string.sub(key, 1, string.find(key, ':', 1, true))
  redis.pcall('PUBLISH', prefix .. 'changed:' .. string.sub(key, -65, -2), state)
end

-- Before the record: one that says COMPLETED without its content can't be replayed.
local function save_content(keep_until)
  if #ARGV[18] > 0 then
    call('SET', KEYS[2], ARGV[18], 'PX', text(math.ceil((keep_until - now) / 1000) + 1000))
  end
  if KEYS[3] then
    call('PEXPIREAT', KEYS[3], text(math.ceil(keep_until / 1000) + 1000))
  end
end

