import { address } from "./address.js";
import { inbox } from "./inbox.js";
import { lease } from "./lease.js";
import { outbox } from "./outbox.js";
import { lua, script } from "./script.js";
import { timers } from "./timers.js";

/**
 * ARGV: time, address, owner, fence, through, rows to keep, `1` for a fresh call, record, its owner, its epoch, time to
 * forget the ended call or empty; lease of the next claim or empty, its window and items; owner of the take or empty,
 * its lease; id and item of what follows or empty; then, each list after its length: history, outbox, timers cancelled,
 * timers set (id and timer).
 * @returns outcome, whether to wake a worker, whether to wake a sender, what was claimed, what was taken
 */
export const settle = script(
	"settle",
	address,
	inbox,
	lease,
	outbox,
	timers,
	lua`
local owner, fence = ARGV[3], ARGV[4]
local window, takeOwner, takeLease = tonumber(ARGV[13]), ARGV[15], tonumber(ARGV[16])
local by = 'settled ' .. fence
local claimed, taken = false, false
local v = redis.call('HMGET', M, 'f', 'lo', 'ih', 'sf', 'ep', 'ec', 'hn', 'oh')

if v[4] == fence then
  local goesOn = v[1] == whole(tonumber(fence) + 1) and v[2] == owner
  if goesOn and ARGV[12] ~= '' then
    claimed = handedOut(window)
  end
  if takeOwner ~= '' then
    taken = take(takeOwner, takeLease, by)
  end
  local waits = not v[2] and putOffUntil() <= NOW and redis.call('EXISTS', key('i')) or 0
  return {'ok', waits, taken and 0 or redis.call('EXISTS', key('o')), claimed, taken}
end
if v[1] ~= fence or v[2] ~= owner then
  return {'lost'}
end
local from, through = tonumber(v[3]), tonumber(ARGV[5])
local to = from + redis.call('LLEN', key('i'))
if through < from or through > to then
  return {'bad', from, to}
end
evenWithoutMemory()
if through > from then
  redis.call('LTRIM', key('i'), through - from, -1)
end

local set = {'ih', whole(through), 'sf', fence}
local function put(field, value)
  set[#set + 1] = field
  set[#set + 1] = value
end

-- An owner changed while the turn ran stays, and the turn's words, decided under the one before, are not sent.
local epoch, recordEpoch = tonumber(v[5] or '0'), tonumber(ARGV[10])
if epoch == tonumber(v[6] or '0') then
  if ARGV[9] ~= 'agent' or redis.call('HEXISTS', M, 'ow') == 1 then
    put('ow', ARGV[9])
  end
  if recordEpoch ~= epoch then
    put('ep', whole(recordEpoch))
  end
elseif recordEpoch >= epoch then
  put('ep', whole(recordEpoch + 1))
end

local p = 19
local function list(each)
  local count = tonumber(ARGV[p])
  local first = p + 1
  p = first + count * each
  return first, count
end

local rows = tonumber(v[7] or '0')
if ARGV[7] == '1' then
  redis.call('DEL', key('h'))
  rows = 0
end
local first, count = list(1)
if count > 0 then
  push(key('h'), first, count)
  redis.call('LTRIM', key('h'), -tonumber(ARGV[6]), -1)
end
put('hn', whole(rows + count))

first, count = list(1)
if count > 0 then
  push(key('o'), first, count)
  rowsCame()
  if ARGV[18] ~= '' then
    local after = tonumber(v[8] or '0') + redis.call('LLEN', key('o'))
    redis.call('RPUSH', key('w'), whole(after) .. '\n' .. ARGV[17] .. '\n' .. ARGV[18])
  end
elseif ARGV[18] ~= '' then
  enter(ARGV[17], ARGV[18])
end

local timersMoved = false
first, count = list(1)
for index = first, first + count - 1 do
  timersMoved = redis.call('HDEL', key('t'), ARGV[index]) == 1 or timersMoved
end
first, count = list(2)
for index = first, first + 2 * count - 1, 2 do
  redis.call('HSET', key('t'), ARGV[index], ARGV[index + 1])
  timersMoved = true
end
if timersMoved then
  nextTimer()
end

redis.call('SET', key('r'), ARGV[8])
if ARGV[11] ~= '' then
  put('en', 1)
  redis.call('ZADD', P .. 'c', ARGV[11], 'x|' .. A)
end
redis.call('HDEL', M, 'lo', 'lu', 'ic', 'ec', 'z', 'za', 'fl', 'ra', 'tw', 'en')
redis.call('HSET', M, unpack(set))
redis.call('DEL', key('j'))

local till = putOffUntil()
if redis.call('EXISTS', key('i')) == 0 then
  redis.call('ZREM', P .. 't', A)
elseif till > NOW then
  redis.call('ZADD', P .. 't', till, A)
elseif ARGV[12] ~= '' then
  grant(owner, tonumber(ARGV[12]), tonumber(ARGV[14]), by)
  claimed = handedOut(window)
else
  redis.call('ZADD', P .. 't', NOW + GRACE, A)
  wakeTurn = 1
end
if takeOwner ~= '' then
  taken = take(takeOwner, takeLease, by)
  wakeSend = 0
end
return {'ok', claimed and 0 or wakeTurn, wakeSend, claimed, taken}
`,
);
