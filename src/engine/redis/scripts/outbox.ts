import { pace } from "./pace.js";
import { lua } from "./script.js";
import { unsaid } from "./unsaid.js";

/**
 * What leaves an address. A row is stored as `h` or `a` (said by a human, or not), its epoch, a line with its id, and
 * the rest; a mark is a line each of status, reason and time before its row.
 */
export const outbox = lua`
${pace}
${unsaid}
local MARKS_KEPT = 100
local wakeSend = 0

-- Rows came in: somebody is woken unless somebody is on them.
local function rowsCame()
  if redis.call('ZADD', P .. 's', 'NX', NOW + GRACE, A) == 1 then
    wakeSend = 1
  end
end

-- Whether the first row may go now and nobody is sending it.
local function mayGo()
  local v = redis.call('HMGET', M, 'ob', 'nb')
  return not v[1] and not (v[2] and tonumber(v[2]) > NOW) and redis.call('EXISTS', key('o')) or 0
end

local function mayBeSent(row, epoch)
  local by, decided = string.match(row, '^(%a)(%-?%d+)\n')
  return by == 'h' or decided == (epoch or '0')
end

local function enterAwaited(gone)
  local awaited = redis.call('LINDEX', key('w'), 0)
  while awaited do
    local after, id, item = string.match(awaited, '^(%d+)\n([^\n]*)\n(.*)$')
    if tonumber(after) > gone then
      return
    end
    redis.call('LPOP', key('w'))
    enter(id, item)
    awaited = redis.call('LINDEX', key('w'), 0)
  end
  redis.call('HDEL', M, 'aw')
end

-- Returns the row that is the first now, which the caller may have seen behind the other.
local function leave(row, following, awaited, status, reason)
  redis.call('LPOP', key('o'))
  redis.call('HDEL', M, 'ob', 'on', 'nb', 'so', 'su', 'sn', 'us')
  local gone = redis.call('HINCRBY', M, 'oh', 1)
  if following then
    redis.call('ZADD', P .. 's', NOW + GRACE, A)
  else
    redis.call('ZREM', P .. 's', A)
  end
  if status then
    redis.call('RPUSH', key('x'), status .. '\n' .. reason .. '\n' .. whole(NOW) .. '\n' .. row)
    redis.call('LTRIM', key('x'), -MARKS_KEPT, -1)
    redis.call('ZADD', P .. 'k', NOW, A)
  end
  if awaited then
    enterAwaited(gone)
  end
  return following
end

-- Takes the first row. Taken once by an operation, it is given to it again. The pace is empty where any will do.
local function take(owner, leaseMs, pace, operation)
  local row, following = unpack(redis.call('LRANGE', key('o'), 0, 1))
  local v = redis.call('HMGET', M, 'so', 'su', 'sn', 'ob', 'on', 'nb', 'ep', 'ow', 'sw', 'dn', 'aw', 'us')
  if v[10] == operation then
    local reason, discarded = string.match(redis.call('LINDEX', key('x'), -1), '^[^\n]*\n([^\n]*)\n[^\n]*\n(.*)$')
    return {'discarded', discarded, reason}
  end
  if not row then
    return {'empty'}
  end
  local tries = tonumber(v[5] or '0')
  if v[4] and v[1] == owner and v[3] == operation then
    -- Asked again because no answer came: nobody else has taken it since, however late it is.
    evenWithoutMemory()
    local till = whole(NOW + leaseMs)
    redis.call('HSET', M, 'su', till)
    redis.call('ZADD', P .. 's', till, A)
    return v[4] == 'unknown' and {'unknown', row, v[12]} or {'row', row, tries}
  elseif v[2] and tonumber(v[2]) > NOW then
    return {'busy', v[2]}
  end
  if not v[4] then
    if v[6] and tonumber(v[6]) > NOW then
      return {'later', v[6]}
    end
    if not mayBeSent(row, v[7]) then
      local reason = v[8] == 'human' and '"a human owns the call"' or '"the owner of the call has changed"'
      leave(row, following, v[11], 'discarded', reason)
      unsay(row)
      redis.call('HSET', M, 'dn', operation)
      return {'discarded', row, reason}
    end
    local from = pace ~= '' and mayBeSentFrom(pace) or 0
    if from > NOW then
      evenWithoutMemory()
      redis.call('HSET', M, 'nb', whole(from))
      redis.call('ZADD', P .. 's', from, A)
      return {'later', whole(from)}
    end
    tries = tries + 1
  end
  -- First of all what needs no memory: rows are sent even when there is none left.
  redis.call('HDEL', M, 'sw', 'dn')
  if pace ~= '' and not v[4] then
    sentTo(pace)
  end
  local till = whole(NOW + leaseMs)
  redis.call('HSET', M, 'so', owner, 'su', till, 'sn', operation, 'ob', v[4] and 'unknown' or 'sending', 'on', whole(tries))
  redis.call('ZADD', P .. 's', till, A)
  if v[4] then
    local since = v[12] or whole(NOW)
    redis.call('HSET', M, 'us', since)
    return {'unknown', row, since}
  end
  return {'row', row, tries}
end
`;
