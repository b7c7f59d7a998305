import { address } from "./address.js";
import { inbox } from "./inbox.js";
import { lease } from "./lease.js";
import { lua, script } from "./script.js";

/**
 * ARGV: time, address, bound of the inbox, ms to remember ids, item, owner of a claim or empty, its lease, window,
 * items and operation, ids.
 * @returns outcome, whether to wake a worker, what was claimed
 */
export const accept = script(
	"accept",
	address,
	inbox,
	lease,
	lua`
local owner, window, operation = ARGV[6], tonumber(ARGV[8]), ARGV[10]
local v = redis.call('HMGET', M, 'lu', 'z', 'pk', 'ra')
local leased = v[1] and tonumber(v[1]) > NOW
if owner ~= '' and leased and v[2] == operation then
  return {'accepted', 0, handedOut(window)}
end
local d = key('d')
redis.call('ZREMRANGEBYSCORE', d, '-inf', NOW)
local met = false
for index = 11, #ARGV do
  met = redis.call('ZSCORE', d, ARGV[index]) or met
end
if not met and redis.call('LLEN', key('i')) >= tonumber(ARGV[3]) then
  return {'full', 0, false}
end
local keep = tonumber(ARGV[4])
for index = 11, #ARGV do
  redis.call('ZADD', d, 'NX', NOW + keep, ARGV[index])
end
keepSeen(math.max(keep, OWN_DEDUPE))
if met then
  return {'duplicate', 0, false}
end
known()
redis.call('RPUSH', key('i'), ARGV[5])
if v[3] then
  return {'accepted', 0, false}
end
if owner ~= '' and not leased and not (v[4] and tonumber(v[4]) > NOW) then
  grant(owner, tonumber(ARGV[7]), tonumber(ARGV[9]), operation)
  return {'accepted', 0, handedOut(window)}
end
arm()
return {'accepted', wakeTurn, false}
`,
);
