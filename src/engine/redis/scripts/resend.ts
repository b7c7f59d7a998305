import { address } from "./address.js";
import { inbox } from "./inbox.js";
import { outbox } from "./outbox.js";
import { lua, script } from "./script.js";

/**
 * ARGV: time, address, id of the row that has a mark, its new id, that id as it is remembered.
 * @returns whether it stands in the outbox by this order, whether to wake a sender
 */
export const resend = script(
	"resend",
	address,
	inbox,
	outbox,
	lua`
if seen(ARGV[5]) then
  return {1, mayGo()}
end
local marks = redis.call('LRANGE', key('x'), 0, -1)
for index = #marks, 1, -1 do
  local by, id, rest = string.match(marks[index], '^[^\n]*\n[^\n]*\n[^\n]*\n(%a)[^\n]*\n([^\n]*)\n(.*)$')
  if id == ARGV[3] then
    redis.call('LREM', key('x'), -1, marks[index])
    -- Whoever discarded it and asks again is not told of what is here no more.
    if index == #marks then
      redis.call('HDEL', M, 'dn')
    end
    if #marks == 1 then
      redis.call('ZREM', P .. 'k', A)
    end
    redis.call('ZADD', key('d'), NOW + OWN_DEDUPE, ARGV[5])
    keepSeen(OWN_DEDUPE, redis.call('HGET', M, 'dx'))
    redis.call('RPUSH', key('o'), by .. (redis.call('HGET', M, 'ep') or '0') .. '\n' .. ARGV[4] .. '\n' .. rest)
    rowsCame()
    return {1, wakeSend}
  end
end
return {0, 0}
`,
);
