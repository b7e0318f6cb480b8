-- An operator's word on a record: guard::operate of operate.cpp.
--
-- ARGV[9]   release | completed | failed
-- ARGV[10]  fence and ARGV[11] state as they were seen, an empty state for any; ARGV[12] yes | no: force
-- ARGV[14]  completed: to ARGV[18] the answer
-- Replies   absent, now
--           conflict | needs-force, now, the fields of the record after `v`
--           applied, now, the same fields before and after [, -1: there is one UNKNOWN record less]

if call('EXISTS', key) == 0 then
  return {'absent', text(now)}
end
local r = load()
if not r or not is_sound(r) then
  return corrupt()
end
local was_completed, was_unknown = r[STATE] == 'COMPLETED', r[STATE] == 'UNKNOWN'
local state = read(r)
if not state then
  return {'absent', text(now)}
end

local reply = {'applied', text(now)}

local function show(as_state)
  reply[#reply + 1] = as_state
  for field = ROUTE, SIZES do
    reply[#reply + 1] = r[field]
  end
end

local function refuse(word)
  reply[1] = word
  return reply
end

local function is_done()
  if action == 'release' then
    return state == 'FAILED'
  end
  if action == 'completed' then
    return state == 'COMPLETED' and r[STATUS] == ARGV[14] and r[SIZES] == ARGV[17] and (call('GET', KEYS[2]) or '') == ARGV[18]
  end
  return state == 'FAILED' and r[FAILURE] == 'not-executed' and r[MAY] == '0'
end

-- Whoever held the claim is fenced from now on, and is remembered.
local function take_from_owner()
  local nobody = string.rep('0', 32)
  if r[OWNER] ~= nobody then
    set(r, LAST_OWNER, r[OWNER])
    set(r, OWNER, nobody)
  end
end

local function complete()
  local keep_until = now + retention
  if #ARGV[18] == 0 then
    call('DEL', KEYS[2])
  end
  call('DEL', KEYS[3])
  save_content(keep_until)
  set(r, STATE, 'COMPLETED')
  set(r, EVIDENCE, 'resolved by operator')
  set(r, MAY, '0')
  set(r, STATUS, ARGV[14])
  set(r, TRUNCATED, ARGV[15])
  set(r, DIGEST, ARGV[16])
  set(r, SIZES, ARGV[17])
  keep(r, keep_until, tombstone)
  return save(r)
end

local function free(failure, evidence, may)
  set(r, STATE, 'FAILED')
  set(r, FAILURE, failure)
  set(r, EVIDENCE, evidence)
  set(r, MAY, may)
  keep(r, now + retention, 0)
  local failed = save(r)
  if failed then
    return failed
  end
  -- The answer of a record that was COMPLETED goes with it.
  call('HDEL', key, 'status', 'truncated', 'digest', 'sizes')
  call('DEL', KEYS[2], KEYS[3])
  for field = STATUS, SIZES do
    r[field] = false
  end
end

show(state)
if r[FENCE] ~= ARGV[10] then
  return refuse('conflict')
end
if is_done() then
  show(state)
  return reply
end
if ARGV[11] ~= '' and ARGV[11] ~= state then
  return refuse('conflict')
end
if (state == 'PROCESSING' or was_completed) and ARGV[12] ~= 'yes' then
  return refuse('needs-force')
end

take_from_owner()
set(r, UPDATED_AT, text(now))
local failed
if action == 'completed' then
  failed = complete()
elseif action == 'release' then
  -- `answered`: the operation id stays with the request that may have run under it.
  failed = free('answered', 'released by operator', '1')
else
  failed = free('not-executed', 'resolved by operator', '0')
end
if failed then
  return failed
end
publish(r[STATE])
show(r[STATE])
if was_unknown then
  reply[#reply + 1] = '-1'
end
return reply
