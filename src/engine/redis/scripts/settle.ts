import { address } from "./address.js";
import { inbox } from "./inbox.js";
import { lease } from "./lease.js";
import { outbox } from "./outbox.js";
import { lua, script } from "./script.js";
import { timers } from "./timers.js";

const numbers = lua`
local through, keepRows, fresh, recordEpoch, forgetAt, claimLease, window, mostItems, takeLease, rowsKnown, histories, sends,
  cancels, timerSets = string.match(ARGV[5],
  '^(%d+) (%d+) (%d) (%-?%d+) (%-?%d+) (%-?%d+) (%d+) (%d+) (%d+) (%-?%d+) (%d+) (%d+) (%d+) (%d+)$')
local takes = ARGV[8] ~= ''
`;

const again = lua`
-- The settlement was written before: what it claimed and took is handed out again while nobody has gone on.
local function again(v, owner, fence)
  local claimed, taken = false, false
  if claimLease ~= '-1' and v[8] == owner and v[7] == 'settled ' .. fence then
    claimed = handedOutAgain(v, tonumber(window), v[19], '')
  end
  if takes then
    taken = take(ARGV[8], tonumber(takeLease), ARGV[9], 'settled ' .. fence)
  end
  local waits = not v[8] and putOffUntil(v[16], v[17]) <= NOW and redis.call('EXISTS', key('i')) or 0
  return {'ok', waits, taken and 0 or mayGo(), claimed, taken, 0}
end
`;

const owner = lua`
-- An owner changed while the turn ran stays, and the turn's words, decided under the one before, are not sent. Returns
-- whether one has.
local function writeOwner(v, put)
  local epoch, decided = tonumber(v[4] or '0'), tonumber(recordEpoch)
  if epoch == tonumber(v[14] or '0') then
    if ARGV[7] ~= (v[3] or 'agent') then
      v[3] = put('ow', ARGV[7])
    end
    if decided ~= epoch then
      v[4] = put('ep', whole(decided))
    end
    return false
  end
  if decided >= epoch then
    v[4] = put('ep', whole(decided + 1))
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
 * ARGV: time, address, owner, fence, numbers, record, its owner, owner of the take or empty, its pace or empty, id and item
 * of what follows or empty; then history, outbox, timers cancelled, timers set (id and timer). The numbers, in one, since
 * each argument costs: position through which items are used up, rows to keep, 1 for a fresh call, epoch of the record, time
 * to forget the ended call or -1, lease of the next claim or -1, its window and items, lease of the take, rows of the call
 * as the caller remembers it or -1, and the lengths of the four lists.
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
	numbers,
	again,
	owner,
	lua`
local owner, fence = ARGV[3], ARGV[4]
local v = head('ec', 'oh', 'ra', 'gu', 'su', 'ic')
if v[11] == fence then
  return again(v, owner, fence)
end
if v[1] ~= fence or v[8] ~= owner then
  return {'lost'}
end
local from, used = tonumber(v[2]), tonumber(through) - tonumber(v[2])
local waiting = redis.call('LLEN', key('i'))
if used < 0 or used > waiting then
  return {'bad', from, from + waiting}
end

local by, claimed, taken = 'settled ' .. fence, false, false
local set = {'ih', through, 'sf', fence}
local function put(field, value)
  set[#set + 1] = field
  set[#set + 1] = value
  return value
end
-- First of all what needs no memory: a turn that ran is written even when there is none left.
redis.call('HDEL', M, 'lo', 'lu', 'ic', 'ec', 'z', 'za', 'fl', 'td', 'ra', 'tw', 'en', 'jn')
v[2], v[7], v[8], v[10] = through, false, false, false
if used > 0 then
  waiting = waiting - used
  if waiting == 0 then
    redis.call('DEL', key('i'))
  else
    redis.call('LTRIM', key('i'), used, -1)
  end
end
local changed = writeOwner(v, put)

local p = 12
local function list(length, each)
  local first, count = p, tonumber(length)
  p = first + count * each
  return first, count
end

local remembered = rowsKnown ~= '-1' and not changed
if fresh == '1' then
  redis.call('DEL', key('h'))
  v[9] = '0'
else
  remembered = remembered and rowsKnown == (v[9] or '0') and not (v[12] and v[12] == v[11])
end
local first, count = list(histories, 1)
if changed then
  count = withheld(first, count)
end
if count > 0 and spread('RPUSH', key('h'), first, count) > tonumber(keepRows) then
  redis.call('LTRIM', key('h'), -tonumber(keepRows), -1)
end
v[9] = put('hn', whole(tonumber(v[9] or '0') + count))

first, count = list(sends, 1)
local alone, mine = false, count > 0 and ARGV[first]
if count > 0 then
  local length = spread('RPUSH', key('o'), first, count)
  alone = length == count
  if ARGV[11] ~= '' then
    redis.call('RPUSH', key('w'), whole(tonumber(v[15] or '0') + length) .. '\n' .. ARGV[10] .. '\n' .. ARGV[11])
    put('aw', 1)
  end
end
local follows = count == 0 and ARGV[11] ~= ''

local moved = false
first, count = list(cancels, 1)
for index = first, first + count - 1 do
  moved = redis.call('HDEL', key('t'), ARGV[index]) == 1 or moved
end
first, count = list(timerSets, 2)
if count > 0 then
  spread('HSET', key('t'), first, 2 * count)
  moved = true
end
if moved then
  nextTimer()
end

redis.call('SET', key('r'), ARGV[6])
if forgetAt ~= '-1' then
  put('en', 1)
  redis.call('ZADD', P .. 'c', forgetAt, 'x|' .. A)
end
if v[13] then
  redis.call('DEL', key('j'))
  v[13] = false
end
v[11] = fence

-- Rows that nobody was sending: the first is the caller's at once, when that is asked and it may go.
if alone and takes and ARGV[9] == '' and not (v[18] and tonumber(v[18]) > NOW) and mayBeSent(mine, v[4]) then
  local till = whole(NOW + tonumber(takeLease))
  put('so', ARGV[8])
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
  enter(ARGV[10], ARGV[11])
  waiting = redis.call('LLEN', key('i'))
end

local till = putOffUntil(nil, v[17])
if waiting == 0 then
  redis.call('ZREM', P .. 't', A)
elseif till > NOW then
  redis.call('ZADD', P .. 't', till, A)
elseif claimLease ~= '-1' then
  local items = redis.call('LRANGE', key('i'), 0, tonumber(mostItems) - 1)
  grant(v, owner, tonumber(claimLease), #items, by)
  claimed = handedOut(v, tonumber(window), items, remembered and fence .. ' ' .. v[9] or '')
else
  redis.call('ZADD', P .. 't', NOW + GRACE, A)
  wakeTurn = 1
end
if takes then
  taken = taken or take(ARGV[8], tonumber(takeLease), ARGV[9], by)
  wakeSend = 0
end
return {'ok', claimed and 0 or wakeTurn, wakeSend, claimed, taken, remembered and 1 or 0}
`,
);
