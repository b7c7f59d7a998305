import { lua } from "./script.js";

/**
 * How fast a chat is sent to. Kept is the time at which it will have rested: each row puts that off by one step, and as
 * many steps as it takes rows at once may lie ahead. All threads of a chat stand in its partition and share it. A pace is
 * two numbers, the step and how far ahead, both ms.
 */
export const pace = lua`
local function chatKey()
  return P .. 'p:' .. string.match(A, '^[^|]*|?[^|]*')
end

-- Before then the chat may not be sent to.
local function mayBeSentFrom(pace)
  local ahead = string.match(pace, ' (%d+)$')
  return tonumber(redis.call('GET', chatKey()) or '0') - tonumber(ahead)
end

local function sentTo(pace)
  local step = string.match(pace, '^%d+')
  local rested = math.max(tonumber(redis.call('GET', chatKey()) or '0'), NOW) + tonumber(step)
  redis.call('SET', chatKey(), whole(rested), 'PX', whole(rested - NOW + 60000))
end
`;
