import { lua, script } from "./script.js";

/**
 * KEYS: the shares of a door, a hash: by process, its part, what it wants, and until when the part is its own; then the
 * greater part it has given up and until when what it sent by it counts; by no name until when the door is closed.
 * ARGV: time, process, all there is, the part it keeps to, what it wants, ms within which sends count, ms for which the
 * part is its own, until when the door is closed or 0.
 * @returns the part to keep to from now on: when it is greater than before it is its own already, when it is smaller the
 * rest is free for others once the process says that it keeps to it; until when the door is closed, or 0
 */
export const share = script(
	"share",
	lua`
local NOW = tonumber(ARGV[1])
if not NOW then
  local time = redis.call('TIME')
  NOW = time[1] * 1000 + math.floor(time[2] / 1000)
end
local owner, most, has, want = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local within, lease = tonumber(ARGV[6]), tonumber(ARGV[7])

local taken, wants, givenUp, givenUpUntil = 0, {want}, 0, NOW
local closed = 0
local all = redis.call('HGETALL', KEYS[1])
for index = 1, #all, 2 do
  local part, wanted, till, was, wasTill = string.match(all[index + 1], '^(%d+) (%d+) (%d+) (%d+) (%d+)$')
  part, wanted, till, was, wasTill = tonumber(part), tonumber(wanted), tonumber(till), tonumber(was), tonumber(wasTill)
  local counts = part and math.max(till + within > NOW and part or 0, wasTill > NOW and was or 0)
  if all[index] == '' then
    closed = tonumber(all[index + 1])
  elseif all[index] == owner then
    if counts > has then
      givenUp, givenUpUntil = counts, part > has and NOW + within or wasTill
    end
  elseif till + within <= NOW and wasTill <= NOW then
    redis.call('HDEL', KEYS[1], all[index])
  else
    taken = taken + counts
    if till > NOW then
      wants[#wants + 1] = wanted
    end
  end
end

-- Whoever wants little gets it; the others get equal parts of the rest. Of what nobody wants each has its part in
-- reserve, and so has the next one to come.
if most >= 2 * #wants then
  for index, wanted in ipairs(wants) do
    wants[index] = math.max(1, wanted)
  end
  want = math.max(1, want)
end
table.sort(wants)
local left, fair = most, 0
for index, wanted in ipairs(wants) do
  local part = math.min(wanted, math.floor(left / (#wants - index + 1)))
  left = left - part
  if wanted <= want then
    fair = part
  end
end
fair = fair + math.ceil(left / (#wants + 1))

has = math.min(has, math.max(0, most - taken))
local part = math.max(has, math.min(fair, most - taken))
if lease == 0 then
  part, fair = 0, 0
end
local line = string.format('%.0f %.0f %.0f %.0f %.0f', part, want, NOW + lease, givenUp, givenUpUntil)
-- First of all what needs no memory: rows are sent even when there is none left.
redis.call('HDEL', KEYS[1], owner)
redis.call('HSET', KEYS[1], owner, line)
if tonumber(ARGV[8]) > math.max(closed, NOW) then
  closed = tonumber(ARGV[8])
  redis.call('HSET', KEYS[1], '', ARGV[8])
elseif closed > 0 and closed <= NOW then
  closed = 0
  redis.call('HDEL', KEYS[1], '')
end
redis.call('PEXPIRE', KEYS[1], math.max(lease + within, closed - NOW) + 60000)
return {math.min(part, fair), string.format('%.0f', closed)}
`,
);
