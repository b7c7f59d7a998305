import { address } from "./address.js";
import { inbox } from "./inbox.js";
import { outbox } from "./outbox.js";
import { lua, script } from "./script.js";
import { timers } from "./timers.js";

/**
 * ARGV: time, address, owner, id of the row, status, reason or empty, time to try again or empty, lease of the next
 * take or empty, its pace or empty, 1 when the person cannot be reached.
 * @returns what was taken, whether to wake a worker, whether to wake a sender
 */
export const mark = script(
	"mark",
	address,
	inbox,
	timers,
	outbox,
	lua`
local owner, id, status = ARGV[3], ARGV[4], ARGV[5]
local row, following = unpack(redis.call('LRANGE', key('o'), 0, 1))
local v = redis.call('HMGET', M, 'so', 'ob', 'aw', 'un')
if row and v[1] == owner and v[2] and string.match(row, '^[^\n]*\n([^\n]*)\n') == id then
  if status == 'retry' then
    redis.call('HDEL', M, 'ob', 'so', 'su', 'sn', 'us')
    redis.call('HSET', M, 'nb', ARGV[7])
    redis.call('ZADD', P .. 's', ARGV[7], A)
  else
    local more = leave(row, following, v[3], status ~= 'sent' and status, ARGV[6])
    if v[4] and status == 'sent' then
      reached()
    elseif ARGV[10] ~= '' and not v[4] then
      redis.call('HSET', M, 'un', whole(NOW) .. '\n' .. ARGV[6])
    end
    if not more then
      return {ARGV[8] ~= '' and {'empty'}, wakeTurn, 0}
    end
  end
end
if ARGV[8] == '' then
  return {false, wakeTurn, mayGo()}
end
return {take(owner, tonumber(ARGV[8]), ARGV[9], 'marked ' .. id), wakeTurn, 0}
`,
);
