-- Leases a snowflake worker id with a reserved horizon.
--
-- KEYS[1]  prefix:workers: a hash, worker id → "owner lease_until high_ts"
-- ARGV     owner, wanted id or -1, the process's clock, horizon, lease (microseconds)
-- Replies  leased, now, id, usable_from, confirmed_until | taken, now
--
-- A holder uses times up to `high_ts` only, and the next one starts behind it: ids stay unique whatever clocks and leases do.

local owner, wanted = ARGV[1], tonumber(ARGV[2])
local clock, horizon, lease = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local IDS = 1024

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function text(number)
  return string.format('%.0f', number)
end

-- owner, lease_until, high_ts; nothing when the row can't be read: such an id is never given away.
local function parse(row)
  local holder, lease_until, high = string.match(row, '^(%x+) (%d+) (%d+)$')
  return holder, tonumber(lease_until), tonumber(high)
end

local function take(id, row)
  local usable_from, high = clock, clock + horizon
  if row then
    local holder, lease_until, high_before = parse(row)
    if not holder or (holder ~= owner and now < lease_until) then
      return nil
    end
    -- A horizon is never taken back. The holder itself goes on inside of its own; whoever comes after begins behind it.
    high = math.max(high, high_before)
    if holder ~= owner then
      usable_from = math.max(clock, high_before + 1)
      high = math.max(high, usable_from + horizon)
    end
  end
  redis.call('HSET', KEYS[1], text(id), owner .. ' ' .. text(now + lease) .. ' ' .. text(high))
  return {'leased', text(now), text(id), text(usable_from), text(high)}
end

local function take_wanted()
  return take(wanted, redis.call('HGET', KEYS[1], text(wanted)))
end

local function take_first(rows, is_wanted)
  for id = 0, IDS - 1 do
    local row = rows[text(id)]
    local leased = is_wanted(row) and take(id, row)
    if leased then
      return leased
    end
  end
end

-- Whether the id can be used at once: nobody had it, or its last holder's horizon is over.
local function is_rested(row)
  if not row then
    return true
  end
  local _, _, high_before = parse(row)
  return high_before and high_before < clock
end

local function is_any()
  return true
end

local function take_any()
  local rows = {}
  local flat = redis.call('HGETALL', KEYS[1])
  for i = 1, #flat, 2 do
    rows[flat[i]] = flat[i + 1]
    if parse(flat[i + 1]) == owner then
      return take(tonumber(flat[i]), flat[i + 1])
    end
  end
  -- Of the ids that have not rested the horizon must be waited for.
  return take_first(rows, is_rested) or take_first(rows, is_any)
end

local leased
if wanted >= 0 then
  leased = take_wanted()
else
  leased = take_any()
end
return leased or {'taken', text(now)}
