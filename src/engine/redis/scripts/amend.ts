import { address } from "./address.js";
import { inbox } from "./inbox.js";
import { outbox } from "./outbox.js";
import { lua, script } from "./script.js";

/**
 * ARGV: time, address, owner or empty, epoch or empty, operation, then, each list after its length: ids of all rows,
 * outbox rows, history rows.
 * @returns outcome, whether to wake a sender
 */
export const amend = script(
	"amend",
	address,
	inbox,
	outbox,
	lua`
local p = 6
local function list()
  local count = tonumber(ARGV[p])
  local first = p + 1
  p = first + count
  return first, count
end

local v = redis.call('HMGET', M, 'ow', 'ep', 'an')
if v[3] == ARGV[5] then
  return {'made', mayGo()}
end
local first, ids = list()
local fresh = ids == 0
for index = first, first + ids - 1 do
  fresh = fresh or not seen(ARGV[index])
end
if not fresh then
  return {'repeated', mayGo()}
end
if ARGV[4] ~= '' and ARGV[4] ~= (v[2] or '0') then
  return {'late', 0}
end
known(true)
if ARGV[3] ~= '' and ARGV[3] ~= (v[1] or 'agent') then
  redis.call('HSET', M, 'ow', ARGV[3])
  redis.call('HINCRBY', M, 'ep', 1)
end
redis.call('HSET', M, 'an', ARGV[5])
for index = first, first + ids - 1 do
  redis.call('ZADD', key('d'), NOW + OWN_DEDUPE, ARGV[index])
end
if ids > 0 then
  keepSeen(OWN_DEDUPE, redis.call('HGET', M, 'dx'))
end
local from, count = list()
if count > 0 then
  spread('RPUSH', key('o'), from, count)
  rowsCame()
end
from, count = list()
if count > 0 then
  spread('RPUSH', key('h'), from, count)
  redis.call('HINCRBY', M, 'hn', count)
end
return {'made', wakeSend}
`,
);
