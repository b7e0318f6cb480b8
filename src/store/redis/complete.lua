-- A transition by the owner: guard::apply of apply.cpp. Here: the answer of an execution whose lease still holds.
--
-- ARGV[9]   renew | complete | fail | unknown | bypassed
-- ARGV[10]  fence, ARGV[11] attempt, ARGV[12] may: of the claim, to write a record again that was lost
-- ARGV[13]  retention
-- ARGV[14]  complete: status; fail, unknown: evidence
-- ARGV[15]  complete: truncated; fail: not-executed | answered
-- ARGV[16]  complete: digest, ARGV[17] the sizes of head and content in bytes, with a space between, ARGV[18] head and content
-- Replies   applied | rewritten | fenced | lapsed, now, state, may

local action, retention = ARGV[9], ARGV[13]

local function verdict(word, state, may)
  return {word, text(now), state, may}
end

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
end

if action == 'complete' then
  local held = call('HMGET', key, 'v', 'state', 'owner', 'may', 'lease_until')
  if held[1] == '1' and held[2] == 'PROCESSING' and held[3] == owner and (held[4] == '0' or held[4] == '1')
    and held[5] and #held[5] < 19 and now < (tonumber(held[5]) or 0) then
    local keep_until = now + retention
    local forget_at = keep_until + tombstone
    save_content(keep_until)
    call('HSET', key, 'state', 'COMPLETED', 'status', ARGV[14], 'truncated', ARGV[15], 'digest', ARGV[16], 'sizes', ARGV[17],
      'updated_at', text(now), 'keep_until', text(keep_until), 'forget_at', text(forget_at))
    local failed = set_end(key, forget_at)
    if failed then
      return failed
    end
    publish('COMPLETED')
    return verdict('applied', 'COMPLETED', held[4])
  end
end
