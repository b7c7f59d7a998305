import { lua } from "./script.js";

/** Who may advance an address, and what a claim hands out. */
export const lease = lua`
-- What grant and handedOut must know of a head, read by whoever calls them together with what it needs itself:
-- 1 f, 2 ih, 3 ow, 4 ep, 5 tw, 6 gs, 7 z, 8 lo, 9 hn, 10 fl, 11 sf, 12 rv, 13 jn.
local function head(...)
  return redis.call('HMGET', M, 'f', 'ih', 'ow', 'ep', 'tw', 'gs', 'z', 'lo', 'hn', 'fl', 'sf', 'rv', 'jn', ...)
end

local function held(owner, fence)
  local v = redis.call('HMGET', M, 'f', 'lo')
  return v[1] == fence and v[2] == owner
end

-- Before then no turn begins.
local function putOffUntil(retryAt, gatherUntil)
  return math.max(tonumber(retryAt or '0'), tonumber(gatherUntil or '0'))
end

-- Fences of an address begin with the time, so that one forgotten and met again does not start over.
local function grant(v, owner, leaseMs, count, operation)
  local epoch = v[4] or '0'
  -- No epoch: a human took over before the first turn, which therefore says nothing.
  if v[3] == 'human' and redis.call('EXISTS', key('r')) == 0 then
    epoch = '-1'
  end
  -- A lease that was neither settled nor given back: whoever had it died in the turn, or was cut off.
  if v[8] then
    redis.call('HINCRBY', M, 'td', 1)
  end
  local till = whole(NOW + leaseMs)
  v[1] = whole((tonumber(v[1]) or NOW) + 1)
  redis.call('HSET', M, 'f', v[1], 'lo', owner, 'lu', till, 'ic', whole(tonumber(v[2] or '0') + count), 'ec', epoch, 'z', operation)
  if v[5] or v[6] then
    redis.call('HDEL', M, 'tw', 'gs', 'gu')
  end
  redis.call('ZADD', P .. 't', till, A)
end

-- How many rows came since a settlement that the caller remembers, its fence and rows in one; nothing when it is not the
-- last one, or when rows were taken out.
local function rowsSince(v, known)
  local fence, rows = string.match(known, '^(%d+) (%d+)$')
  local more = fence == v[11] and v[12] ~= fence and tonumber(v[9] or '0') - tonumber(rows)
  return more and more >= 0 and more
end

-- Whoever remembers the last settlement is handed out what is new.
local function handedOut(v, window, items, known)
  local record, rows, notes, deaths = false, {}, {}, false
  local more = known ~= '' and rowsSince(v, known)
  if not more then
    record = redis.call('GET', key('r'))
  end
  local count = math.min(window, more or window)
  if count > 0 and v[9] then
    rows = redis.call('LRANGE', key('h'), -count, -1)
  end
  if v[13] then
    notes = redis.call('LRANGE', key('j'), 0, -1)
  end
  -- After a settlement there is neither a lease nor its operation, and nobody has died in the turn.
  if v[7] or v[8] then
    deaths = redis.call('HGET', M, 'td')
  end
  return {v[1], record, v[3], v[4], v[9], rows, items, v[2] or '0', notes, v[10], deaths, more and 1 or 0}
end

-- The same, to whoever holds the address and asks again.
local function handedOutAgain(v, window, claimedTo, known)
  local count = tonumber(claimedTo) - tonumber(v[2])
  return handedOut(v, window, count > 0 and redis.call('LRANGE', key('i'), 0, count - 1) or {}, known)
end
`;
