-- Asks to be the one that executes: guard::claim of claim.cpp. Here: the first claim of a key, and answers that change nothing.
--
-- No `#!lua` line: with full memory the script must still run, so that a recorded answer is found; the first write of a new claim
-- is then refused and nothing was changed.
--
-- ARGV[8]  deadline on this clock    ARGV[9]  hold | reforward
-- Replies  late, now
--          first, now: the first claim of the key, with `now` as its fence
--          claimed, now, lease left in ms, fence, attempt, operation_id, may [, change]
--          record, now, the record, head and content or nil [, change]: it is another's. Of a COMPLETED record of an equal request of
--            the same caller, with head and content
-- `change` is what this did to the number of UNKNOWN records, -1 or 1; without it, nothing.

-- A command that waited in the server or on the way for too long: its sender has given up and would not know of the claim.
if now > ARGV[8] + 0 then
  return {'late', clock}
end

local kept = call('GET', key)
if not kept then
  local lease_until = now + lease
  local keep_until = lease_until + unknown_retention
  local forget_at = keep_until + tombstone
  call('SET', key, '2 PROCESSING 0 ' .. owner .. format(' %018d ', lease_until) .. identity .. ' - ' .. clock .. ' 1 ' .. operation_id
    .. ' ' .. clock .. ' ' .. parts .. '\n' .. clock .. format(' %d %d -\n', keep_until, forget_at), 'PXAT', end_of(forget_at))
  return {'first', clock}
end

-- The usual duplicate.
if sub(kept, 1, 12) == '2 COMPLETED ' and sub(kept, IDENTITY, IDENTITY_END) == identity and sub(kept, OWNER, OWNER_END) ~= owner
  and sub(kept, BEHIND_IDENTITY, BEHIND_IDENTITY + 31) ~= owner and now < (tonumber(sub(kept, UNTIL, UNTIL_END)) or 0) then
  return {'record', clock, kept, call('GET', KEYS[2])}
end
