-- How a stored record is changed. What reads as absent is written anew over what is left of it.

local is_new = false
local changed = {}

local function set(r, field, value)
  r[field] = value
  changed[field] = value
end

local function is_hex(value, length)
  return value and #value == length and not string.find(value, '[^0-9a-f]')
end

-- Whether a record may be written further. What is only read is checked by the reader of the reply.
local function is_sound(r)
  return is_hex(r[OWNER], 32) and (not r[LAST_OWNER] or is_hex(r[LAST_OWNER], 32))
    and is_number(r[FENCE], 19) and (#r[FENCE] < 19 or r[FENCE] < '9223372036854775807')
    and is_number(r[ATTEMPT], 10) and tonumber(r[ATTEMPT]) < 4294967295
    and is_number(r[OPERATION_ID], 19) and is_hex(r[VERSION], 16)
    and is_hex(r[FINGERPRINT], 64) and is_hex(r[RAW], 64) and is_hex(r[CALLER], 64)
    and (r[MAY] == '0' or r[MAY] == '1')
    and (r[STATE] ~= 'FAILED' or r[FAILURE] == 'not-executed' or r[FAILURE] == 'answered')
    and is_number(r[CREATED_AT], 18)
end

local function keep(r, until_when, then_tombstone)
  set(r, KEEP_UNTIL, text(until_when))
  set(r, FORGET_AT, text(until_when + then_tombstone))
end

-- Greater than every fence before, also when the record was lost: max(previous + 1, now), on digit strings.
local function next_fence(previous)
  local head, digit, nines = string.match(previous, '^(%d-)(%d)(9*)$')
  local successor = head .. (digit + 1) .. string.rep('0', #nines)
  local clock = text(now)
  if #successor > #clock or (#successor == #clock and successor > clock) then
    return successor
  end
  return clock
end

local function blank()
  is_new = true
  local r = {}
  set(r, V, '1')
  set(r, CREATED_AT, text(now))
  return r
end

local function take_identity(r)
  set(r, ROUTE, route)
  set(r, VERSION, version)
  set(r, FINGERPRINT, fingerprint)
  set(r, RAW, raw)
  set(r, CALLER, caller)
  set(r, PARTS, parts)
end

local function hold_lease(r)
  set(r, STATE, 'PROCESSING')
  set(r, EVIDENCE, '')
  set(r, UPDATED_AT, text(now))
  set(r, LEASE_UNTIL, text(now + lease))
  keep(r, now + lease + unknown_retention, tombstone)
end

-- The end of a lease, as `read` has noted it.
local function note_lapse(r)
  for _, field in ipairs({STATE, EVIDENCE, KEEP_UNTIL, FORGET_AT}) do
    set(r, field, r[field])
  end
end

-- Writes what changed, and the end of the key with it; a new record that can't be given an end is taken back. HSET is the first write:
-- full memory refuses it, but only as long as the script has written nothing.
local function save(r)
  local words, remains = {}, {}
  for field, name in ipairs(NAMES) do
    if changed[field] then
      words[#words + 1] = name
      words[#words + 1] = changed[field]
    elseif is_new then
      remains[#remains + 1] = name
    end
  end
  call('HSET', key, unpack(words))
  if is_new then
    call('HDEL', key, unpack(remains))
  end
  local failed = set_end(key, r[FORGET_AT])
  if failed and is_new then
    redis.pcall('DEL', key)
  end
  return failed
end
