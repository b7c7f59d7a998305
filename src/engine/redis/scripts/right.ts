import { lua, script } from "./script.js";

const now = lua`
local NOW = tonumber(ARGV[1])
if not NOW then
  local time = redis.call('TIME')
  NOW = time[1] * 1000 + math.floor(time[2] / 1000)
end
local till, owner = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (.*)$')
`;

/** KEYS: the right. ARGV: time, owner, lease. @returns whether the owner has it now */
export const hold = script(
	"hold",
	now,
	lua`
if owner and owner ~= ARGV[2] and tonumber(till) > NOW then
  return 0
end
redis.call('SET', KEYS[1], string.format('%.0f %s', NOW + tonumber(ARGV[3]), ARGV[2]), 'PX', 60000 + tonumber(ARGV[3]))
return 1
`,
);

/** KEYS: the right. ARGV: time, owner. */
export const letGo = script(
	"letGo",
	now,
	lua`
if owner == ARGV[2] then
  redis.call('DEL', KEYS[1])
end
return 0
`,
);
