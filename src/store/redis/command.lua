-- The other transitions by the owner, and those of a record that is not as its owner left it.

local stored_state
local is_rewritten = false

local function record_of_claim()
  local r = blank()
  r.owner, r.fence, r.attempt, r.may = owner, ARGV[9], ARGV[10], ARGV[11]
  return r
end

local function write(r)
  save(r)
  if r.state ~= 'PROCESSING' then
    publish(r.state)
  end
  local reply = verdict(is_rewritten and 'rewritten' or 'applied', r.state, r.may)
  if (r.state == 'UNKNOWN') ~= (stored_state == 'UNKNOWN') then
    reply[#reply + 1] = r.state == 'UNKNOWN' and '1' or '-1'
  end
  return reply
end

local function complete(r)
  local keep_until = now + retention
  save_content(keep_until)
  r.state, r.evidence, r.answer, r.updated_at = 'COMPLETED', '', ARGV[13], clock
  keep(r, keep_until, tombstone)
  return write(r)
end

local function make_unknown(r, evidence)
  r.state, r.evidence, r.updated_at = 'UNKNOWN', evidence, clock
  keep(r, now + unknown_retention, tombstone)
  return write(r)
end

local function fail(r)
  r.state, r.failure, r.evidence, r.updated_at = 'FAILED', ARGV[14], ARGV[13], clock
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
  local is_failure = action == 'fail' and ARGV[11] == '0'
  if is_failure and ARGV[14] == 'not-executed' then
    return verdict('applied', 'FAILED', '0')
  end
  is_rewritten = true
  local r = record_of_claim()
  if is_failure then
    return fail(r)
  end
  if action == 'renew' then
    return renew(r)
  end
  if action == 'complete' then
    return complete(r)
  end
  -- A failure of an attempt that followed another proves nothing.
  return make_unknown(r, ARGV[13])
end

local function apply_to(r, state, was_processing, evidence_before)
  local is_open = state == 'PROCESSING' or state == 'UNKNOWN'
  if action == 'renew' then
    if was_processing then
      return renew(r)
    end
    return verdict(state == 'UNKNOWN' and 'lapsed' or 'fenced', state, r.may)
  end
  if action == 'complete' then
    if is_open then
      return complete(r)
    end
    -- Status and content; how it was stored may differ.
    local told = '^(%d+) [01] (%x+) '
    local status, digest = string.match(ARGV[13], told)
    local status_before, digest_before = string.match(r.answer, told)
    local is_repeated = state == 'COMPLETED' and status == status_before and digest == digest_before
    return verdict(is_repeated and 'applied' or 'fenced', state, r.may)
  end
  if action == 'fail' and r.may == '0' then
    if is_open then
      return fail(r)
    end
    return verdict(state == 'FAILED' and 'applied' or 'fenced', state, r.may)
  end
  if not is_open then
    return verdict('fenced', state, r.may)
  end
  if not was_processing and evidence_before == ARGV[13] then
    return verdict('applied', state, r.may)
  end
  return make_unknown(r, ARGV[13])
end

-- A request was sent without a claim: whoever comes later must not execute it.
local function note_bypassed(before, state)
  if state and state ~= 'FAILED' then
    return verdict('applied', state, before.may)
  end
  local noted = record_of_claim()
  -- Nobody owns it: a release of the claim that failed before it must not free the key.
  noted.owner = string.rep('0', 32)
  noted.fence, noted.attempt = next_fence(state and before.fence or '0'), text((state and before.attempt or 0) + 1)
  if state then
    noted.last_owner, noted.created_at = before.owner, before.created_at
    -- A released record: an attempt before may have run, and now another has.
    if before.may == '1' then
      noted.may = '1'
    end
  end
  return make_unknown(noted, 'bypassed')
end

local r
if kept then
  r = parse(kept)
  if not r then
    return corrupt()
  end
end
stored_state = r and r.state
local was_processing = stored_state == 'PROCESSING'
local evidence_before = r and r.evidence
local state = r and read(r) or nil
if action == 'bypassed' then
  return note_bypassed(r, state)
end
if not state then
  return apply_to_lost()
end
if r.owner ~= owner then
  return verdict('fenced', state, r.may)
end
return apply_to(r, state, was_processing, evidence_before)
