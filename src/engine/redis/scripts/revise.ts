import { address } from "./address.js";
import { inbox } from "./inbox.js";
import { lua, script } from "./script.js";

const unread = lua`
-- Position of the first item that no turn has begun to read, and of the first that waits.
local function unread()
  local v = redis.call('HMGET', M, 'ih', 'ic', 'lu')
  local first = tonumber(v[1] or '0')
  local begun = redis.call('EXISTS', key('j')) == 1 or (v[3] and tonumber(v[3]) > NOW)
  if begun and v[2] then
    return math.max(first, tonumber(v[2])), first
  end
  return first, first
end
`;

/**
 * ARGV: time, address, id of a message.
 * @returns position of the first item not read, all from there on, and whether the message is known
 */
export const waiting = script(
	"waiting",
	address,
	inbox,
	unread,
	lua`
local from, first = unread()
return {from, redis.call('LRANGE', key('i'), from - first, -1), seen(ARGV[3]) and 1 or 0}
`,
);

/** ARGV: time, address, position, the item there, the one in its place. @returns whether it was still there, unread */
export const revise = script(
	"revise",
	address,
	unread,
	lua`
local from, first = unread()
local position = tonumber(ARGV[3])
if position < from or redis.call('LINDEX', key('i'), position - first) ~= ARGV[4] then
  return 0
end
redis.call('LSET', key('i'), position - first, ARGV[5])
return 1
`,
);

/**
 * ARGV: time, address, id of a message, content, ms to keep it.
 * @returns whether it is kept, unless the message has come by now
 */
export const early = script(
	"early",
	address,
	inbox,
	lua`
if seen(ARGV[3]) then
  return 0
end
local ms, edits = tonumber(ARGV[5]), redis.call('HGETALL', key('e'))
for index = 1, #edits, 2 do
  if tonumber(string.match(edits[index + 1], '^(%d+)\n')) <= NOW then
    redis.call('HDEL', key('e'), edits[index])
  end
end
local till = whole(NOW + ms)
redis.call('HSET', key('e'), ARGV[3], till .. '\n' .. ARGV[4])
redis.call('PEXPIRE', key('e'), whole(2 * ms))
redis.call('HSET', M, 'ed', till)
if redis.call('HEXISTS', M, 'ih') == 0 then
  redis.call('PEXPIRE', M, whole(2 * ms))
end
return 1
`,
);
