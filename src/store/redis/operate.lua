-- An operator's word on a record: guard::operate of operate.cpp.
--
-- ARGV[8]   release | completed | failed
-- ARGV[9]   fence and ARGV[10] state as they were seen, an empty state for any; ARGV[11] yes | no: force
-- ARGV[13]  completed: and ARGV[14], the answer
-- Replies   absent, now
--           conflict | needs-force, now, the record
--           applied, now, the record before and after [, -1: there is one UNKNOWN record less]

local kept = call('GET', key)
if not kept then
  return {'absent', clock}
end
local r = parse(kept)
if not r then
  return corrupt()
end
local was_completed, was_unknown = r.state == 'COMPLETED', r.state == 'UNKNOWN'
local state = read(r)
if not state then
  return {'absent', clock}
end

local function refuse(word)
  return {word, clock, kept}
end

local function is_done()
  if action == 'release' then
    return state == 'FAILED'
  end
  if action == 'completed' then
    local told = '^(%d+) [01] %x+ (.+)$'
    local status, sizes = string.match(ARGV[13], told)
    local status_before, sizes_before = string.match(r.answer, told)
    return state == 'COMPLETED' and status == status_before and sizes == sizes_before and (call('GET', KEYS[2]) or '') == ARGV[14]
  end
  return state == 'FAILED' and r.failure == 'not-executed' and r.may == '0'
end

-- Whoever held the claim is fenced from now on, and is remembered.
local function take_from_owner()
  local nobody = string.rep('0', 32)
  if r.owner ~= nobody then
    r.last_owner, r.owner = r.owner, nobody
  end
end

local function complete()
  local keep_until = now + retention
  if #ARGV[14] == 0 then
    call('DEL', KEYS[2])
  end
  call('DEL', KEYS[3])
  save_content(keep_until)
  r.state, r.evidence, r.may, r.answer = 'COMPLETED', 'resolved by operator', '0', ARGV[13]
  keep(r, keep_until, tombstone)
  return save(r)
end

local function free(failure, evidence, may)
  r.state, r.failure, r.evidence, r.may = 'FAILED', failure, evidence, may
  keep(r, now + retention, 0)
  local record = save(r)
  -- The answer of a record that was COMPLETED goes with it.
  call('DEL', KEYS[2], KEYS[3])
  return record
end

if r.fence ~= ARGV[9] then
  return refuse('conflict')
end
if is_done() then
  return {'applied', clock, kept, kept}
end
if ARGV[10] ~= '' and ARGV[10] ~= state then
  return refuse('conflict')
end
if (state == 'PROCESSING' or was_completed) and ARGV[11] ~= 'yes' then
  return refuse('needs-force')
end

take_from_owner()
r.updated_at = clock
local after
if action == 'completed' then
  after = complete()
elseif action == 'release' then
  -- `answered`: the operation id stays with the request that may have run under it.
  after = free('answered', 'released by operator', '1')
else
  after = free('not-executed', 'resolved by operator', '0')
end
publish(r.state)
return {'applied', clock, kept, after, was_unknown and '-1' or nil}
