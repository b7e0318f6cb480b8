-- A transition by the owner: guard::apply of apply.cpp. Here: the answer of an execution whose lease still holds.
--
-- ARGV[9]   renew | complete | fail | unknown | bypassed
-- ARGV[10]  fence, ARGV[11] attempt, ARGV[12] may: of the claim, to write a record again that was lost
-- ARGV[14]  complete: to ARGV[18] the answer; fail, unknown: evidence
-- ARGV[15]  fail: not-executed | answered
-- ARGV[19]  complete, with KEYS[3]: how many pieces there have to be
-- Replies   applied | rewritten | fenced | lapsed | incomplete, now, state, may [, change of the number of UNKNOWN records: -1 or 1]

local function verdict(word, state, may)
  return {word, text(now), state, may}
end

if KEYS[3] and redis.pcall('HLEN', KEYS[3]) ~= tonumber(ARGV[19]) then
  return verdict('incomplete', 'PROCESSING', '0')
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
