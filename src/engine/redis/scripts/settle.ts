import { address } from "./address.js";
import { inbox } from "./inbox.js";
import { lease } from "./lease.js";
import { outbox } from "./outbox.js";
import { lua, script } from "./script.js";
import { timers } from "./timers.js";

const again = lua`
-- The settlement was written before: what it claimed and took is handed out again while nobody has gone on.
local function again(v, owner, fence)
  local claimed, taken = false, false
  if ARGV[12] ~= '' and v[1] == whole(tonumber(fence) + 1) and v[8] == owner then
    claimed = handedOutAgain(v, tonumber(ARGV[13]), v[19], '')
  end
  if ARGV[15] ~= '' then
    taken = take(ARGV[15], tonumber(ARGV[16]), ARGV[17], 'settled ' .. fence)
  end
  local waits = not v[8] and putOffUntil(v[16], v[17]) <= NOW and redis.call('EXISTS', key('i')) or 0
  return {'ok', waits, taken and 0 or mayGo(), claimed, taken, 0}
end
`;

const owner = lua`
-- An owner changed while the turn ran stays, and the turn's words, decided under the one before, are not sent. Returns
-- whether one has.
local function writeOwner(v, put)
  local epoch, recordEpoch = tonumber(v[4] or '0'), tonumber(ARGV[10])
  if epoch == tonumber(v[14] or '0') then
    if ARGV[9] ~= (v[3] or 'agent') then
      v[3] = put('ow', ARGV[9])
    end
    if recordEpoch ~= epoch then
      v[4] = put('ep', whole(recordEpoch))
    end
    return false
  end
  if recordEpoch >= epoch then
    v[4] = put('ep', whole(recordEpoch + 1))
  end
  return true
end

-- Leaves out of the rows of a turn what will not be sent. Returns how many are left, in front.
local function withheld(first, count)
  local left = 0
  for index = first, first + count - 1 do
    if not string.match(ARGV[index], '^[mc]') and not string.match(ARGV[index], '^{"role":"said"') then
      ARGV[first + left] = ARGV[index]
      left = left + 1
    end
  end
  return left
end
`;

/**
 * ARGV: time, address, owner, fence, through, rows to keep, `1` for a fresh call, record, its owner, its epoch, time to
 * forget the ended call or empty; lease of the next claim or empty, its window and items; owner of the take or empty,
 * its lease, its pace or empty; id and item of what follows or empty; rows of the call as the caller remembers it, or
 * empty; then, each list after its length: history, outbox, timers cancelled, timers set (id and timer).
 * @returns outcome, whether to wake a worker, whether to wake a sender, what was claimed, what was taken, whether the
 * history is what the caller remembers and its rows
 */
export const settle = script(
	"settle",
	address,
	inbox,
	lease,
	outbox,
	timers,
	again,
	owner,
	lua`
local owner, fence = ARGV[3], ARGV[4]
local v = head('ec', 'oh', 'ra', 'gu', 'su', 'ic', 'ob')
if v[11] == fence then
  return again(v, owner, fence)
end
if v[1] ~= fence or v[8] ~= owner then
  return {'lost'}
end
local from, through = tonumber(v[2]), tonumber(ARGV[5])
local waiting = redis.call('LLEN', key('i'))
if through < from or through > from + waiting then
  return {'bad', from, from + waiting}
end

local by, claimed, taken = 'settled ' .. fence, false, false
local set = {'ih', ARGV[5], 'sf', fence}
local function put(field, value)
  set[#set + 1] = field
  set[#set + 1] = value
  return value
end
-- First of all what needs no memory: a turn that ran is written even when there is none left.
redis.call('HDEL', M, 'lo', 'lu', 'ic', 'ec', 'z', 'za', 'fl', 'td', 'ra', 'tw', 'en', 'jn')
v[2], v[7], v[8], v[10] = ARGV[5], false, false, false
if through > from then
  waiting = waiting - (through - from)
  if waiting == 0 then
    redis.call('DEL', key('i'))
  else
    redis.call('LTRIM', key('i'), through - from, -1)
  end
end
local changed = writeOwner(v, put)

local p = 21
local function list(each)
  local count = tonumber(ARGV[p])
  local first = p + 1
  p = first + count * each
  return first, count
end

local remembered = ARGV[20] ~= '' and not changed
if ARGV[7] == '1' then
  redis.call('DEL', key('h'))
  v[9] = '0'
else
  remembered = remembered and ARGV[20] == (v[9] or '0') and not (v[12] and v[12] == v[11])
end
local first, count = list(1)
if changed then
  count = withheld(first, count)
end
if count > 0 and spread('RPUSH', key('h'), first, count) > tonumber(ARGV[6]) then
  redis.call('LTRIM', key('h'), -tonumber(ARGV[6]), -1)
end
v[9] = put('hn', whole(tonumber(v[9] or '0') + count))

first, count = list(1)
local alone, mine = false, count > 0 and ARGV[first]
if count > 0 then
  local length = spread('RPUSH', key('o'), first, count)
  alone = length == count
  if ARGV[19] ~= '' then
    redis.call('RPUSH', key('w'), whole(tonumber(v[15] or '0') + length) .. '\n' .. ARGV[18] .. '\n' .. ARGV[19])
    put('aw', 1)
  end
end
local follows = count == 0 and ARGV[19] ~= ''

local moved = false
first, count = list(1)
for index = first, first + count - 1 do
  moved = redis.call('HDEL', key('t'), ARGV[index]) == 1 or moved
end
first, count = list(2)
if count > 0 then
  spread('HSET', key('t'), first, 2 * count)
  moved = true
end
if moved then
  nextTimer()
end

redis.call('SET', key('r'), ARGV[8])
if ARGV[11] ~= '' then
  put('en', 1)
  redis.call('ZADD', P .. 'c', ARGV[11], 'x|' .. A)
end
if v[13] then
  redis.call('DEL', key('j'))
  v[13] = false
end
v[11] = fence

-- Rows that nobody was sending: the first is the caller's at once, when that is asked and it may go.
if alone and ARGV[15] ~= '' and ARGV[17] == '' and not (v[18] and tonumber(v[18]) > NOW) and mayBeSent(mine, v[4]) then
  local till = whole(NOW + tonumber(ARGV[16]))
  put('so', ARGV[15])
  put('su', till)
  put('sn', by)
  put('ob', 'sending')
  put('on', '1')
  redis.call('ZADD', P .. 's', till, A)
  taken = {'row', mine, 1}
end
redis.call('HSET', M, unpack(set))
if mine and not taken then
  rowsCame()
end
if follows then
  enter(ARGV[18], ARGV[19])
  waiting = redis.call('LLEN', key('i'))
end

local till = putOffUntil(nil, v[17])
if waiting == 0 then
  redis.call('ZREM', P .. 't', A)
elseif till > NOW then
  redis.call('ZADD', P .. 't', till, A)
elseif ARGV[12] ~= '' then
  local items = redis.call('LRANGE', key('i'), 0, tonumber(ARGV[14]) - 1)
  grant(v, owner, tonumber(ARGV[12]), #items, by)
  claimed = handedOut(v, tonumber(ARGV[13]), items, remembered and fence .. ' ' .. v[9] or '')
else
  redis.call('ZADD', P .. 't', NOW + GRACE, A)
  wakeTurn = 1
end
if ARGV[15] ~= '' then
  taken = taken or take(ARGV[15], tonumber(ARGV[16]), ARGV[17], by)
  wakeSend = 0
end
return {'ok', claimed and 0 or wakeTurn, wakeSend, claimed, taken, remembered and 1 or 0}
`,
);
