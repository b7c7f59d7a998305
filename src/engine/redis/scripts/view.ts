import { address } from "./address.js";
import { lua, script } from "./script.js";

/** ARGV: time, address, history rows. @returns all that is stored under an address */
export const view = script(
	"view",
	address,
	lua`
local rows = {}
if tonumber(ARGV[3]) > 0 then
  rows = redis.call('LRANGE', key('h'), -tonumber(ARGV[3]), -1)
end
return {
  redis.call('HMGET', M, 'ow', 'ep', 'hn', 'ob', 'nb', 'fl', 'pk', 'un'),
  redis.call('GET', key('r')),
  rows,
  redis.call('LRANGE', key('i'), 0, -1),
  redis.call('LRANGE', key('o'), 0, -1),
  redis.call('LRANGE', key('x'), 0, -1),
  redis.call('HGETALL', key('t')),
}
`,
);

/** KEYS: prefixes of partitions. ARGV: time, last address of the page before or empty, set to list, limit. */
export const list = script(
	"list",
	address,
	lua`
local after, set, limit = ARGV[2], ARGV[3], tonumber(ARGV[4])
local found = {}
for _, prefix in ipairs(KEYS) do
  if set == 'a' then
    local from = after == '' and '-' or '(' .. after
    for _, name in ipairs(redis.call('ZRANGEBYLEX', prefix .. set, from, '+', 'LIMIT', 0, limit - #found)) do
      found[#found + 1] = name
    end
  else
    local names = redis.call('ZRANGE', prefix .. set, 0, -1)
    table.sort(names)
    for _, name in ipairs(names) do
      if #found < limit and (after == '' or name > after) then
        found[#found + 1] = name
      end
    end
  end
  after = ''
  if #found >= limit then
    return found
  end
end
return found
`,
);
