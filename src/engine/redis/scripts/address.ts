import { lua } from "./script.js";

/**
 * What every script begins with. KEYS[1] is the prefix of a partition; all its keys begin with it and share its hash
 * tag. ARGV[1] is the time of a test's clock, or empty: then Redis' own time counts, the same for all processes.
 *
 * Keys of a partition: `a` all addresses; `t` addresses with turns to run, `s` with rows to send, each with the time at
 * which the sweeper wakes it; `c` times of timers (`c|address`) and of forgetting (`x|address`); `q` addresses set aside,
 * `k` with marks.
 *
 * Keys of an address: `m:` its head, a hash; `r:` its record; `h:` history; `i:` inbox; `j:` journal; `o:` outbox;
 * `w:` what comes in once rows have left; `x:` marks; `t:` timers; `d:` ids seen; `e:` edits of messages that have not come,
 * each by its message's id, a line with the time until which it is kept and the content. Of a chat, under its door and chat:
 * `p:` when it will have rested from what was sent. Of a door: `share:` in no partition, see `share.ts`.
 *
 * Fields of a head: `f` fence, `lo` and `lu` lease's owner and end, `z` the operation that made or ended it, `za` the
 * newest accept and whether it woke; `ih` position of the first waiting item, `ic` end of what a claim handed out; `hn`
 * rows of the call; `oh` position of the first outbox row, `ob` it is `sending` or its outcome `unknown`, `on` tries,
 * `nb` not before, `us` since when that is known, `so` `su` `sn` its sender, the end of its right and the operation
 * that took it, `dn` the operation that discarded a row last; `fl` failures, `td` take-overs from leases that ran out,
 * `ra` retry at, `gs` and `gu` since and until when messages put the turn off, `pk` parked because; `ow` owner, `ep`
 * epoch, `ec` epoch at the claim, `an` the operation that amended it last; `sf` fence settled last, `rv` the one after
 * which a row was taken out of the history, `jn` there is a journal; `en` the call has ended; `tw` and `sw` wake-ups of
 * the sweeper in a row; `dx` when the ids seen go, all at once; `aw` something waits for rows to leave; `ed` edits are
 * kept at most until then; `un` the person cannot be reached: a line with the time since when, and why.
 */
export const address = lua`
local NOW = tonumber(ARGV[1])
if not NOW then
  local time = redis.call('TIME')
  NOW = time[1] * 1000 + math.floor(time[2] / 1000)
end
-- How long a wake-up may take before the sweeper gives another.
local GRACE = 2000

local P, A, M
local function at(prefix, name)
  P, A, M = prefix, name, prefix .. 'm:' .. name
end
at(KEYS[1], ARGV[2])

local function key(kind)
  return P .. kind .. ':' .. A
end

-- A command for many arguments, a thousand at a time: Lua cannot hand over any number. Returns its last answer.
local function spread(command, target, from, count)
  local answer
  for first = from, from + count - 1, 1000 do
    answer = redis.call(command, target, unpack(ARGV, first, math.min(first + 999, from + count - 1)))
  end
  return answer
end

-- Redis without memory refuses a script at its first write, if that needs memory. What ends, frees or keeps alive goes
-- on; what begins something is refused.
local function evenWithoutMemory()
  redis.call('HDEL', M, '')
end

local function whole(number)
  return string.format('%.0f', number)
end

-- Lists an address that was not known. A head that only tells of an edit goes with it, unless the address becomes known.
local function known(edited)
  if redis.call('HSETNX', M, 'ih', 0) == 1 then
    redis.call('ZADD', P .. 'a', 0, A)
    if edited then
      redis.call('PERSIST', M)
    end
  end
end
`;
