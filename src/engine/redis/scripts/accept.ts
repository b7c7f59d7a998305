import { address } from "./address.js";
import { inbox } from "./inbox.js";
import { lease } from "./lease.js";
import { lua, script } from "./script.js";
import { timers } from "./timers.js";

const early = lua`
-- The item, with what an edit that came before it made it say: of a name given twice, JSON's readers take the last.
local function edited(item, keptUntil)
  if tonumber(keptUntil) <= NOW then
    redis.call('HDEL', M, 'ed')
    return item
  end
  for index = 8, #ARGV do
    local edit = redis.call('HGET', key('e'), ARGV[index])
    local till, content = string.match(edit or '', '^(%d+)\n(.*)$')
    if till and tonumber(till) > NOW then
      return string.sub(item, 1, -2) .. ',"content":' .. content .. '}'
    end
  end
  return item
end
`;

/**
 * ARGV: time, address, numbers, item, owner of a claim or empty, operation, what the caller remembers or empty, ids. The
 * numbers, in one, since each argument costs: bound of the inbox, ms to remember ids, lease of the claim, its window and
 * items, ms by which the message puts the turn off or -1 for no message, ms it may be put off in all.
 * @returns outcome, whether to wake a worker, what was claimed, until when the turn is put off
 */
export const accept = script(
	"accept",
	address,
	inbox,
	lease,
	timers,
	early,
	lua`
local bound, dedupe, claimLease, window, mostItems, gathers, longest = string.match(ARGV[3],
  '^(%d+) (%d+) (%d+) (%d+) (%d+) (%-?%d+) (%d+)$')
local owner, operation, keep = ARGV[5], ARGV[6], tonumber(dedupe)
gathers = gathers ~= '-1' and tonumber(gathers)
local v = head('lu', 'pk', 'ra', 'gu', 'za', 'ic', 'dx', 'ed', 'un')
local leased, parked, gatherUntil, newest = v[14] and tonumber(v[14]) > NOW, v[15], v[17], v[18]
if leased and v[7] == operation then
  return {'accepted', 0, handedOutAgain(v, tonumber(window), v[19], ARGV[7])}
end
if newest and string.sub(newest, 2) == operation then
  return {'accepted', tonumber(string.sub(newest, 1, 1)), false}
end

local d, till, met = key('d'), whole(NOW + keep), false
for index = 8, #ARGV do
  if redis.call('ZADD', d, 'NX', till, ARGV[index]) == 0 then
    if seen(ARGV[index]) then
      met = true
    else
      redis.call('ZADD', d, till, ARGV[index])
    end
  end
end
if met then
  -- Of a call that was forgotten only ids are left, with an end of their own.
  if v[2] then
    keepSeen(keep, v[20])
  end
  return {'duplicate', 0, false}
end
keepSeen(keep, v[20])
local item = ARGV[4]
if v[21] and gathers then
  item = edited(item, v[21])
end
local waiting = redis.call('RPUSH', key('i'), item)
if waiting > tonumber(bound) then
  redis.call('RPOP', key('i'))
  redis.call('ZREM', d, unpack(ARGV, 8))
  return {'full', 0, false}
end
if not v[2] then
  known(v[21])
end

-- A message of which more may follow puts the next turn off; one of which none can lets it begin.
local heldBack = gatherUntil and tonumber(gatherUntil) > NOW
if gathers and gathers > 0 then
  local since = tonumber(v[6]) or NOW
  gatherUntil = math.min(NOW + gathers, since + tonumber(longest))
  redis.call('HSET', M, 'gs', since, 'gu', gatherUntil)
elseif gathers and v[6] then
  redis.call('HDEL', M, 'gs', 'gu')
  gatherUntil, v[6] = false, false
end
if v[22] and gathers then
  reached()
end

local put = false
if not leased and not parked then
  local till = putOffUntil(v[16], gatherUntil)
  if till > NOW then
    redis.call('ZADD', P .. 't', till, A)
    put = till
  elseif owner ~= '' then
    local count = math.min(waiting, tonumber(mostItems))
    grant(v, owner, tonumber(claimLease), count, operation)
    local items = waiting == 1 and {item} or redis.call('LRANGE', key('i'), 0, count - 1)
    return {'accepted', 0, handedOut(v, tonumber(window), items, ARGV[7])}
  elseif heldBack then
    redis.call('ZADD', P .. 't', NOW + GRACE, A)
    wakeTurn = 1
  else
    arm()
  end
end
redis.call('HSET', M, 'za', wakeTurn .. operation)
return {'accepted', wakeTurn, false, put}
`,
);
