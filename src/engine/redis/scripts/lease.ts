import { lua } from "./script.js";

/** Who may advance an address, and what a claim hands out. */
export const lease = lua`
local function held(owner, fence)
  local v = redis.call('HMGET', M, 'f', 'lo')
  return v[1] == fence and v[2] == owner
end

local function giveBack()
  redis.call('HDEL', M, 'lo', 'lu', 'ic')
end

-- Before then no turn begins.
local function putOffUntil()
  local v = redis.call('HMGET', M, 'ra', 'gu')
  return math.max(tonumber(v[1] or '0'), tonumber(v[2] or '0'))
end

local function grant(owner, leaseMs, items, operation)
  local v = redis.call('HMGET', M, 'f', 'ih', 'ow', 'ep', 'tw', 'gs')
  local first = tonumber(v[2])
  local epoch = v[4] or '0'
  -- No epoch: a human took over before the first turn, which therefore says nothing.
  if v[3] == 'human' and redis.call('EXISTS', key('r')) == 0 then
    epoch = '-1'
  end
  local till = NOW + leaseMs
  redis.call('HSET', M, 'f', whole((tonumber(v[1]) or NOW) + 1), 'lo', owner, 'lu', whole(till),
    'ic', whole(first + math.min(items, redis.call('LLEN', key('i')))), 'ec', epoch, 'z', operation)
  if v[5] or v[6] then
    redis.call('HDEL', M, 'tw', 'gs', 'gu')
  end
  redis.call('ZADD', P .. 't', till, A)
end

local function handedOut(window)
  local v = redis.call('HMGET', M, 'f', 'ih', 'ic', 'ow', 'ep', 'hn', 'fl')
  local count = tonumber(v[3] or v[2]) - tonumber(v[2])
  local rows, items = {}, {}
  if window > 0 then
    rows = redis.call('LRANGE', key('h'), -window, -1)
  end
  if count > 0 then
    items = redis.call('LRANGE', key('i'), 0, count - 1)
  end
  return {v[1], redis.call('GET', key('r')), v[4], v[5], v[6], rows, items, v[2], redis.call('LRANGE', key('j'), 0, -1), v[7]}
end
`;
