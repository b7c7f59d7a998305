import { address } from "./address.js";
import { inbox } from "./inbox.js";
import { lease } from "./lease.js";
import { lua, script } from "./script.js";

/**
 * ARGV: time, address, bound of the inbox, ms to remember ids, item, owner of a claim or empty, its lease, window and
 * items, operation, ms by which the message puts the turn off or empty for no message, ms it may be put off in all,
 * ids.
 * @returns outcome, whether to wake a worker, what was claimed
 */
export const accept = script(
	"accept",
	address,
	inbox,
	lease,
	lua`
local owner, window, operation = ARGV[6], tonumber(ARGV[8]), ARGV[10]
local v = redis.call('HMGET', M, 'lu', 'z', 'pk', 'gs', 'gu', 'za')
local leased = v[1] and tonumber(v[1]) > NOW
if leased and v[2] == operation then
  return {'accepted', 0, handedOut(window)}
end
if v[6] and string.sub(v[6], 2) == operation then
  return {'accepted', tonumber(string.sub(v[6], 1, 1)), false}
end
local d = key('d')
local met, unmet = false, {}
local keep = tonumber(ARGV[4])
for index = 13, #ARGV do
  if seen(ARGV[index]) then
    met = true
  else
    unmet[#unmet + 1] = NOW + keep
    unmet[#unmet + 1] = ARGV[index]
  end
end
if not met and redis.call('LLEN', key('i')) >= tonumber(ARGV[3]) then
  return {'full', 0, false}
end
if #unmet > 0 then
  redis.call('ZADD', d, unpack(unmet))
end
redis.call('ZREMRANGEBYSCORE', d, '-inf', NOW)
keepSeen(math.max(keep, OWN_DEDUPE))
if met then
  return {'duplicate', 0, false}
end
known()
redis.call('RPUSH', key('i'), ARGV[5])

-- A message of which more may follow puts the next turn off; one of which none can lets it begin.
local gathers, heldBack = tonumber(ARGV[11]), v[5] and tonumber(v[5]) > NOW
if gathers and gathers > 0 then
  local since = tonumber(v[4]) or NOW
  redis.call('HSET', M, 'gs', whole(since), 'gu', whole(math.min(NOW + gathers, since + tonumber(ARGV[12]))))
elseif gathers and v[4] then
  redis.call('HDEL', M, 'gs', 'gu')
end
local till = putOffUntil()
if leased then
  arm()
elseif v[3] then
  wakeTurn = 0
elseif till > NOW then
  redis.call('ZADD', P .. 't', till, A)
elseif owner ~= '' then
  grant(owner, tonumber(ARGV[7]), tonumber(ARGV[9]), operation)
  return {'accepted', 0, handedOut(window)}
elseif heldBack then
  redis.call('ZADD', P .. 't', NOW + GRACE, A)
  wakeTurn = 1
else
  arm()
end
redis.call('HSET', M, 'za', wakeTurn .. operation)
return {'accepted', wakeTurn, false}
`,
);
