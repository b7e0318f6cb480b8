-- A transition by the owner: guard::apply of apply.cpp. Here: the answer of an execution whose lease still holds.
--
-- ARGV[8]   renew | complete | fail | unknown | bypassed
-- ARGV[9]   fence, ARGV[10] attempt, ARGV[11] may: of the claim, to write a record again that was lost
-- ARGV[13]  complete: and ARGV[14], the answer; fail, unknown: evidence
-- ARGV[14]  fail: not-executed | answered
-- ARGV[15]  complete, with KEYS[3]: how many pieces there have to be
-- Replies   applied | rewritten | fenced | lapsed | incomplete, now, state, may [, change of the number of UNKNOWN records: -1 or 1]

local function verdict(word, state, may)
  return {word, clock, state, may}
end

if KEYS[3] and redis.pcall('HLEN', KEYS[3]) ~= tonumber(ARGV[15]) then
  return verdict('incomplete', 'PROCESSING', '0')
end

local kept = call('GET', key)
if kept and action == 'complete' and sub(kept, 1, 13) == '2 PROCESSING ' and sub(kept, OWNER, OWNER_END) == owner
  and now < (tonumber(sub(kept, UNTIL, UNTIL_END)) or 0) then
  local line_end = string.find(kept, '\n', BEHIND_IDENTITY, true)
  if line_end then
    local keep_until = now + retention
    local forget_at = keep_until + tombstone
    save_content(keep_until)
    call('SET', key, '2 COMPLETED  ' .. sub(kept, MAY, OWNER_END) .. format(' %018d ', keep_until) .. sub(kept, IDENTITY, line_end) .. clock
      .. ' ' .. sub(kept, UNTIL, UNTIL_END) .. format(' %d - ', forget_at) .. ARGV[13] .. '\n', 'PXAT', end_of(forget_at))
    publish('COMPLETED')
    return verdict('applied', 'COMPLETED', sub(kept, MAY, MAY))
  end
end
