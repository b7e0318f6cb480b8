-- The other transitions by the owner, and those of a record that is not as its owner left it.

local stored_state

local function record_of_claim()
  local r = blank()
  set(r, OWNER, owner)
  set(r, FENCE, ARGV[10])
  set(r, ATTEMPT, ARGV[11])
  set(r, OPERATION_ID, operation_id)
  set(r, MAY, ARGV[12])
  set(r, LEASE_UNTIL, '0')
  take_identity(r)
  return r
end

local function write(r)
  local failed = save(r)
  if failed then
    return failed
  end
  if r[STATE] ~= 'PROCESSING' then
    publish(r[STATE])
  end
  local reply = verdict((is_new and action ~= 'bypassed') and 'rewritten' or 'applied', r[STATE], r[MAY])
  if (r[STATE] == 'UNKNOWN') ~= (stored_state == 'UNKNOWN') then
    reply[#reply + 1] = r[STATE] == 'UNKNOWN' and '1' or '-1'
  end
  return reply
end

local function complete(r)
  local keep_until = now + retention
  save_content(keep_until)
  set(r, STATE, 'COMPLETED')
  set(r, EVIDENCE, '')
  set(r, STATUS, ARGV[14])
  set(r, TRUNCATED, ARGV[15])
  set(r, DIGEST, ARGV[16])
  set(r, SIZES, ARGV[17])
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
  set(r, FAILURE, ARGV[15])
  set(r, EVIDENCE, ARGV[14])
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
  local is_failure = action == 'fail' and ARGV[12] == '0'
  if is_failure and ARGV[15] == 'not-executed' then
    return verdict('applied', 'FAILED', '0')
  end
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
  return make_unknown(r, ARGV[14])
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
    local is_repeated = state == 'COMPLETED' and r[STATUS] == ARGV[14] and r[DIGEST] == ARGV[16]
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
  if not was_processing and evidence_before == ARGV[14] then
    return verdict('applied', state, r[MAY])
  end
  return make_unknown(r, ARGV[14])
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
    -- A released record: an attempt before may have run, and now another has.
    if before[MAY] == '1' then
      set(noted, MAY, '1')
    end
  end
  return make_unknown(noted, 'bypassed')
end

local r
if call('EXISTS', key) == 1 then
  r = load()
  if not r or not is_sound(r) then
    return corrupt()
  end
end
stored_state = r and r[STATE]
local was_processing = stored_state == 'PROCESSING'
local evidence_before = r and r[EVIDENCE]
local state = r and read(r) or nil
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
