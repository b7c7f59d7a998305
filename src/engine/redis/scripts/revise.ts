import { address } from "./address.js";
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

/** ARGV: time, address. @returns position of the first item not read, and all from there on */
export const waiting = script(
	"waiting",
	address,
	unread,
	lua`
local from, first = unread()
return {from, redis.call('LRANGE', key('i'), from - first, -1)}
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
