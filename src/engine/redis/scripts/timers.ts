import { lua } from "./script.js";

/** Timers of an address. Each is stored under its id as a line with its time, a line with its item's id, and the item. */
export const timers = lua`
local function nextTimer()
  local first
  for _, timer in ipairs(redis.call('HVALS', key('t'))) do
    local due = string.match(timer, '^([^\n]*)\n')
    if not first or tonumber(due) < tonumber(first) then
      first = due
    end
  end
  if first then
    redis.call('ZADD', P .. 'c', first, 'c|' .. A)
  else
    redis.call('ZREM', P .. 'c', 'c|' .. A)
  end
end

local function fireTimers()
  local all = redis.call('HGETALL', key('t'))
  local due = {}
  for index = 1, #all, 2 do
    local when, id, item = string.match(all[index + 1], '^([^\n]*)\n([^\n]*)\n(.*)$')
    if tonumber(when) <= NOW then
      due[#due + 1] = {tonumber(when), all[index], id, item}
    end
  end
  table.sort(due, function(a, b)
    if a[1] ~= b[1] then
      return a[1] < b[1]
    end
    return a[2] < b[2]
  end)
  for _, timer in ipairs(due) do
    redis.call('HDEL', key('t'), timer[2])
    enter(timer[3], timer[4])
  end
  nextTimer()
end
`;
