import { lua } from "./script.js";

/** Ids that were seen, and what enters the inbox by the engine itself. */
export const inbox = lua`
local OWN_DEDUPE = 604800000
local wakeTurn = 0

local function seen(id)
  local score = redis.call('ZSCORE', key('d'), id)
  return score and tonumber(score) > NOW
end

-- Ids live for ms at least; all of them go, at the latest, at the time in dx. Now and then the old ones are cleared away.
local function keepSeen(ms, livesUntil)
  if livesUntil and tonumber(livesUntil) >= NOW + ms then
    return
  end
  local slack = math.min(ms, 86400000)
  redis.call('ZREMRANGEBYSCORE', key('d'), '-inf', NOW)
  redis.call('PEXPIRE', key('d'), whole(ms + slack))
  redis.call('HSET', M, 'dx', NOW + ms + slack)
end

-- Turns wait: somebody is woken unless somebody is on it.
local function arm()
  if redis.call('ZADD', P .. 't', 'NX', NOW + GRACE, A) == 1 then
    wakeTurn = 1
  end
end

-- Takes an item of the engine itself, which no bound may refuse.
local function enter(id, item)
  known()
  if seen(id) then
    return
  end
  redis.call('ZADD', key('d'), NOW + OWN_DEDUPE, id)
  keepSeen(OWN_DEDUPE, redis.call('HGET', M, 'dx'))
  redis.call('RPUSH', key('i'), item)
  if redis.call('HEXISTS', M, 'pk') == 0 then
    arm()
  end
end
`;
