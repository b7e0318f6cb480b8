-- The stored fields; false when they can't be read. A key of another type is an error of HMGET itself.
local function load()
  local r = call('HMGET', key, unpack(NAMES))
  return is_readable(r) and r
end
