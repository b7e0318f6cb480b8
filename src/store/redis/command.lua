#!lua flags=allow-oom
-- A transition by the owner: guard::apply of record_machine.cpp. With full memory it must still run (allow-oom): the request has
-- been executed.
--
-- ARGV[12]  renew | complete | fail | unknown | bypassed
-- ARGV[13]  fence, ARGV[14] attempt, ARGV[15] may: of the claim, to write a record again that was lost
-- ARGV[16]  retention
-- ARGV[17]  complete: status; fail, unknown: evidence
-- ARGV[18]  complete: truncated; fail: not-executed | answered
-- ARGV[19]  complete: digest, ARGV[20] head, ARGV[21] content
-- Replies   applied | rewritten | fenced | lapsed, now, state, may

local action, claim_fence, claim_attempt, claim_may = ARGV[12], ARGV[13], ARGV[14], ARGV[15]
local retention = tonumber(ARGV[16])
local is_new = false

local function verdict(word, state, may)
  return {word, text(now), state, may}
end

-- Waiting duplicates look again when they hear of it. Best effort: a user without rights on channels loses no write.
local function publish(state)
  local prefix_end = string.find(KEYS[1], ':', 1, true)
  local channel = string.sub(KEYS[1], 1, prefix_end) .. 'changed:' .. string.sub(KEYS[1], -65, -2)
  redis.pcall('PUBLISH', channel, state)
end

-- The record as the claim had written it.
local function record_of_claim()
  local r = blank()
  is_new = true
  set(r, OWNER, owner)
  set(r, FENCE, claim_fence)
  set(r, ATTEMPT, claim_attempt)
  set(r, OPERATION_ID, operation_id)
  set(r, MAY, claim_may)
  set(r, LEASE_UNTIL, '0')
  take_identity(r)
  return r
end

local function write(r)
  local failed = save(r, is_new)
  if failed then
    return failed
  end
  if r[STATE] ~= 'PROCESSING' then
    publish(r[STATE])
  end
  return verdict((is_new and action ~= 'bypassed') and 'rewritten' or 'applied', r[STATE], r[MAY])
end

local function complete(r)
  local status, truncated, digest, head, content = ARGV[17], ARGV[18], ARGV[19], ARGV[20], ARGV[21]
  local keep_until = now + retention
  -- The content first: a record that says COMPLETED without it can't be replayed.
  redis.call('DEL', KEYS[2])
  if #content > 0 then
    redis.call('HSET', KEYS[2], 'body', content)
    redis.call('PEXPIREAT', KEYS[2], end_of(keep_until))
  end
  set(r, STATE, 'COMPLETED')
  set(r, EVIDENCE, '')
  set(r, STATUS, status)
  set(r, TRUNCATED, truncated)
  set(r, DIGEST, digest)
  set(r, SIZE, text(#content))
  set(r, HEAD, head)
  set(r, UPDATED_AT, text(now))
  keep(r, keep_until, tombstone)
  return write(r)
end

local function make_unknown(r, evidence)
  set(r, STATE, 'UNKNOWN')
  set(r, EVIDENCE, evidence)
  set(r, UPDATED_AT, text(now))
  keep(r, now + unknown_retention, tombstone)
  return write(r)
end

local function fail(r)
  set(r, STATE, 'FAILED')
  set(r, FAILURE, ARGV[18])
  set(r, EVIDENCE, ARGV[17])
  set(r, UPDATED_AT, text(now))
  -- No tombstone: its end frees the key.
  keep(r, now + retention, 0)
  return write(r)
end

local function renew(r)
  hold_lease(r)
  return write(r)
end

-- The store lost the record: only the owner's word is left.
local function apply_to_lost()
  if action == 'fail' and claim_may == '0' then
    return verdict('applied', 'FAILED', '0')
  end
  local r = record_of_claim()
  if action == 'renew' then
    return renew(r)
  end
  if action == 'complete' then
    return complete(r)
  end
  -- A failure of an attempt that followed another proves nothing.
  return make_unknown(r, ARGV[17])
end

local function apply_to(r, state, was_processing, evidence_before)
  local is_open = state == 'PROCESSING' or state == 'UNKNOWN'
  if action == 'renew' then
    if was_processing then
      return renew(r)
    end
    return verdict(state == 'UNKNOWN' and 'lapsed' or 'fenced', state, r[MAY])
  end
  if action == 'complete' then
    if is_open then
      return complete(r)
    end
    local is_repeated = state == 'COMPLETED' and r[STATUS] == ARGV[17] and r[DIGEST] == ARGV[19]
    return verdict(is_repeated and 'applied' or 'fenced', state, r[MAY])
  end
  if action == 'fail' and r[MAY] == '0' then
    if is_open then
      return fail(r)
    end
    return verdict(state == 'FAILED' and 'applied' or 'fenced', state, r[MAY])
  end
  if not is_open then
    return verdict('fenced', state, r[MAY])
  end
  if not was_processing and evidence_before == ARGV[17] then
    return verdict('applied', state, r[MAY])
  end
  return make_unknown(r, ARGV[17])
end

-- A request was sent without a claim: whoever comes later must not execute it.
local function note_bypassed(r, state)
  if state and state ~= 'FAILED' then
    return verdict('applied', state, r[MAY])
  end
  local before = state and r
  local noted = record_of_claim()
  -- Nobody owns it: a release of the claim that failed before it must not free the key.
  set(noted, OWNER, string.rep('0', 32))
  set(noted, FENCE, next_fence(before and before[FENCE] or '0'))
  set(noted, ATTEMPT, text((before and before[ATTEMPT] or 0) + 1))
  if before then
    set(noted, LAST_OWNER, before[OWNER])
    set(noted, CREATED_AT, before[CREATED_AT])
  end
  return make_unknown(noted, 'bypassed')
end

local r = load()
if r == false or (r and not is_sound(r)) then
  return CORRUPT
end
local was_processing = r and r[STATE] == 'PROCESSING'
local evidence_before = r and r[EVIDENCE]
local state = r and read(r)
if action == 'bypassed' then
  return note_bypassed(r, state)
end
if not state then
  return apply_to_lost()
end
if r[OWNER] ~= owner then
  return verdict('fenced', state, r[MAY])
end
return apply_to(r, state, was_processing, evidence_before)
