-- A transition by the owner: guard::apply of apply.cpp. Here: the answer of an execution whose lease still holds.
--
-- ARGV[12]  renew | complete | fail | unknown | bypassed
-- ARGV[13]  fence, ARGV[14] attempt, ARGV[15] may: of the claim, to write a record again that was lost
-- ARGV[16]  retention
-- ARGV[17]  complete: status; fail, unknown: evidence
-- ARGV[18]  complete: truncated; fail: not-executed | answered
-- ARGV[19]  complete: digest, ARGV[20] head, ARGV[21] content
-- Replies   applied | rewritten | fenced | lapsed, now, state, may

local action, retention = ARGV[12], ARGV[16]

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
  local content = ARGV[21]
  if #content > 0 then
    call('HSET', KEYS[2], 'body', content)
    return set_end(KEYS[2], keep_until)
  end
end

if action == 'complete' then
  local held = call('HMGET', key, 'v', 'state', 'owner', 'may', 'lease_until')
  if held[1] == '1' and held[2] == 'PROCESSING' and held[3] == owner and (held[4] == '0' or held[4] == '1')
    and is_number(held[5], 18) and now < tonumber(held[5]) then
    local keep_until = now + retention
    local forget_at = keep_until + tombstone
    local failed = save_content(keep_until)
    if failed then
      return failed
    end
    call('HSET', key, 'state', 'COMPLETED', 'evidence', '', 'status', ARGV[17], 'truncated', ARGV[18], 'digest', ARGV[19],
      'size', text(#ARGV[21]), 'head', ARGV[20], 'updated_at', text(now), 'keep_until', text(keep_until),
      'forget_at', text(forget_at))
    failed = set_end(key, forget_at)
    if failed then
      return failed
    end
    publish('COMPLETED')
    return verdict('applied', 'COMPLETED', held[4])
  end
end
