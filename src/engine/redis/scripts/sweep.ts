import { address } from "./address.js";
import { inbox } from "./inbox.js";
import { lua, script } from "./script.js";
import { firing, timers } from "./timers.js";

/**
 * KEYS: prefixes of partitions. ARGV: time, nothing, most entries. Whoever waits too long is woken, later each time;
 * timers fire; calls that ended long ago are forgotten.
 * @returns addresses whose worker to wake, whose sender to wake, time of the next entry or empty, whether there is more,
 * how many wake-ups were lost
 */
export const sweep = script(
	"sweep",
	address,
	inbox,
	timers,
	firing,
	lua`
local LONGEST = 4000
local DAY = 86400000
local left = tonumber(ARGV[3])
local turns, sends, soonest, lost = {}, {}, nil, 0

-- Entries of a set that are due, as many as may be handled.
local function due(set)
  local found = {}
  local entries = redis.call('ZRANGE', set, 0, math.max(left, 0), 'WITHSCORES')
  for index = 1, #entries, 2 do
    local when = tonumber(entries[index + 1])
    if when > NOW or left <= 0 then
      if not soonest or when < soonest then
        soonest = when
      end
      break
    end
    found[#found + 1] = entries[index]
    left = left - 1
  end
  return found
end

local function wake(prefix, set, list, field, woken, reasons)
  for _, name in ipairs(due(prefix .. set)) do
    at(prefix, name)
    if redis.call('EXISTS', key(list)) == 1 then
      local v = redis.call('HMGET', M, unpack(reasons))
      if not (v[1] or v[2] or v[3]) then
        lost = lost + 1
      end
      local times = redis.call('HINCRBY', M, field, 1)
      redis.call('ZADD', P .. set, NOW + math.min(LONGEST, GRACE * math.pow(2, math.min(times, 6) - 1)), A)
      woken[#woken + 1] = A
    else
      redis.call('ZREM', P .. set, A)
    end
  end
end

local function forget()
  local v = redis.call('HMGET', M, 'en', 'pk')
  if not v[1] then
    redis.call('ZREM', P .. 'c', 'x|' .. A)
  elseif v[2] or redis.call('EXISTS', key('i'), key('o'), key('t')) > 0 then
    redis.call('ZADD', P .. 'c', NOW + DAY, 'x|' .. A)
  else
    redis.call('DEL', M, key('r'), key('h'), key('j'), key('x'), key('w'))
    redis.call('ZREM', P .. 'c', 'x|' .. A)
    redis.call('ZREM', P .. 'k', A)
    redis.call('ZREM', P .. 'a', A)
  end
end

evenWithoutMemory()
for _, prefix in ipairs(KEYS) do
  wake(prefix, 't', 'i', 'tw', turns, {'lu', 'ra', 'gu'})
  wake(prefix, 's', 'o', 'sw', sends, {'su', 'nb'})
  for _, entry in ipairs(due(prefix .. 'c')) do
    at(prefix, string.sub(entry, 3))
    if string.sub(entry, 1, 1) == 'c' then
      wakeTurn = 0
      fireTimers()
      if wakeTurn == 1 then
        turns[#turns + 1] = A
      end
    else
      forget()
    end
  end
end
return {turns, sends, soonest and whole(soonest) or '', left <= 0 and 1 or 0, lost}
`,
);
