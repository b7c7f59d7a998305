import { LATER } from "../../backend.js";
import { lua } from "./script.js";

/**
 * Timers of an address. Each is stored under its id as a line with its time, a line with its item's id, and the item.
 * One that rests stands past its time.
 */
export const timers = lua`
-- When some rest it is looked a day later, at the latest, whether they still do.
local function nextTimer(rests)
  local first = rests and NOW + 86400000
  for _, timer in ipairs(redis.call('HVALS', key('t'))) do
    local due = tonumber(string.match(timer, '^([^\n]*)\n'))
    if not (rests and due <= NOW) and (not first or due < first) then
      first = due
    end
  end
  if first then
    redis.call('ZADD', P .. 'c', first, 'c|' .. A)
  else
    redis.call('ZREM', P .. 'c', 'c|' .. A)
  end
end

-- The person can be reached again: what rested is due.
local function reached()
  redis.call('HDEL', M, 'un')
  nextTimer()
end
`;

/** Brings in what is due, but for an agent's own timers while the person of an open call cannot be reached. */
export const firing = lua`
local function agentRests()
  local v = redis.call('HMGET', M, 'un', 'en')
  return v[1] and not v[2]
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
  local rests = false
  for _, timer in ipairs(due) do
    if string.sub(timer[2], 1, ${LATER.length}) == '${LATER}' and (rests or agentRests()) then
      rests = true
    else
      redis.call('HDEL', key('t'), timer[2])
      enter(timer[3], timer[4])
    end
  end
  nextTimer(rests)
end
`;
