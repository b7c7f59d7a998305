import { address } from "./address.js";
import { inbox } from "./inbox.js";
import { outbox } from "./outbox.js";
import { lua, script } from "./script.js";

/**
 * ARGV: time, address, owner or empty, then, each list after its length: ids of all rows, outbox rows, history rows.
 * @returns whether to wake a sender
 */
export const amend = script(
	"amend",
	address,
	inbox,
	outbox,
	lua`
local p = 4
local function list()
  local count = tonumber(ARGV[p])
  local first = p + 1
  p = first + count
  return first, count
end

known()
if ARGV[3] ~= '' and ARGV[3] ~= (redis.call('HGET', M, 'ow') or 'agent') then
  redis.call('HSET', M, 'ow', ARGV[3])
  redis.call('HINCRBY', M, 'ep', 1)
end
local first, ids = list()
local fresh = ids == 0
for index = first, first + ids - 1 do
  fresh = redis.call('ZADD', key('d'), NOW + OWN_DEDUPE, ARGV[index]) == 1 or fresh
end
if ids > 0 then
  keepSeen(OWN_DEDUPE, redis.call('HGET', M, 'dx'))
end
if not fresh then
  return mayGo()
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
return wakeSend
`,
);
