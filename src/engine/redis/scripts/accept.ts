import { address } from "./address.js";
import { inbox } from "./inbox.js";
import { lease } from "./lease.js";
import { lua, script } from "./script.js";

/**
 * ARGV: time, address, bound of the inbox, ms to remember ids, item, owner of a claim or empty, its lease, window and
 * items, operation, ms by which the message puts the turn off or empty for no message, ms it may be put off in all,
 * ids.
 * @returns outcome, whether to wake a worker, what was claimed, until when the turn is put off
 */
export const accept = script(
	"accept",
	address,
	inbox,
	lease,
	lua`
local owner, operation, keep = ARGV[6], ARGV[10], tonumber(ARGV[4])
local v = head('lu', 'pk', 'ra', 'gu', 'za', 'ic', 'dx')
local leased, parked, gatherUntil, newest = v[11] and tonumber(v[11]) > NOW, v[12], v[14], v[15]
if leased and v[7] == operation then
  return {'accepted', 0, handedOutAgain(v, tonumber(ARGV[8]), v[16])}
end
if newest and string.sub(newest, 2) == operation then
  return {'accepted', tonumber(string.sub(newest, 1, 1)), false}
end

local d, met, unmet = key('d'), false, {}
for index = 13, #ARGV do
  if seen(ARGV[index]) then
    met = true
  else
    unmet[#unmet + 1] = whole(NOW + keep)
    unmet[#unmet + 1] = ARGV[index]
  end
end
local waiting = redis.call('LLEN', key('i'))
if not met and waiting >= tonumber(ARGV[3]) then
  return {'full', 0, false}
end
if #unmet > 0 then
  redis.call('ZADD', d, unpack(unmet))
  keepSeen(keep, v[17])
end
if met then
  return {'duplicate', 0, false}
end
if not v[2] then
  known()
end
waiting = redis.call('RPUSH', key('i'), ARGV[5])

-- A message of which more may follow puts the next turn off; one of which none can lets it begin.
local gathers, heldBack = tonumber(ARGV[11]), gatherUntil and tonumber(gatherUntil) > NOW
if gathers and gathers > 0 then
  local since = tonumber(v[6]) or NOW
  gatherUntil = math.min(NOW + gathers, since + tonumber(ARGV[12]))
  redis.call('HSET', M, 'gs', since, 'gu', gatherUntil)
elseif gathers and v[6] then
  redis.call('HDEL', M, 'gs', 'gu')
  gatherUntil, v[6] = false, false
end

local put = false
if not leased and not parked then
  local till = putOffUntil(v[13], gatherUntil)
  if till > NOW then
    redis.call('ZADD', P .. 't', till, A)
    put = till
  elseif owner ~= '' then
    local count = math.min(waiting, tonumber(ARGV[9]))
    grant(v, owner, tonumber(ARGV[7]), count, operation)
    local items = waiting == 1 and {ARGV[5]} or redis.call('LRANGE', key('i'), 0, count - 1)
    return {'accepted', 0, handedOut(v, tonumber(ARGV[8]), items)}
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
