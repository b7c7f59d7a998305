import { address } from "./address.js";
import { lease } from "./lease.js";
import { lua, script } from "./script.js";

/**
 * ARGV: time, address, owner, fence, lease, position from which on to hand out what waits or empty, most items.
 * @returns outcome, what was handed out
 */
export const extend = script(
	"extend",
	address,
	lease,
	lua`
if not held(ARGV[3], ARGV[4]) then
  return {'lost'}
end
evenWithoutMemory()
local till = whole(NOW + tonumber(ARGV[5]))
redis.call('HSET', M, 'lu', till)
redis.call('ZADD', P .. 't', till, A)
if ARGV[6] == '' then
  return {'ok', {}}
end
local v = redis.call('HMGET', M, 'ih', 'ic', 'gs')
local first = tonumber(v[1])
local from = math.max(tonumber(ARGV[6]), first)
local to = math.min(from + tonumber(ARGV[7]), first + redis.call('LLEN', key('i')))
if to <= from then
  return {'ok', {}}
end
if to > tonumber(v[2]) then
  redis.call('HSET', M, 'ic', whole(to))
  if v[3] then
    redis.call('HDEL', M, 'gs', 'gu')
  end
end
return {'ok', redis.call('LRANGE', key('i'), from - first, to - first - 1)}
`,
);
