import { lua } from "./script.js";

/** What never reached a person does not stay in a history either: model and page would read it as said. */
export const unsaid = lua`
local function spokenIn(text)
  return string.match(text, '^[mc]%["([^"]*)"') or string.match(text, '^{"role":"said","id":"([^"]*)"')
end

-- Takes a part out of the history when the first piece of it is withheld. Of a part begun to be sent all stays.
local function unsay(row)
  local id = string.match(row, '^[^\n]*\n"([^\n]*)%.0"\n')
  if not id then
    return
  end
  local record = redis.call('GET', key('r'))
  local call = record and string.match(record, '^{"v":%d+,"id":"([^"]*)"')
  local own = call and string.sub(id, 1, #call + 1) == call .. '.' and '~' .. string.sub(id, #call + 1)
  local rows = redis.call('LRANGE', key('h'), 0, -1)
  for index = #rows, 1, -1 do
    local said = spokenIn(rows[index])
    if said and (said == id or said == own) then
      redis.call('LREM', key('h'), -1, rows[index])
      redis.call('HINCRBY', M, 'hn', -1)
      redis.call('HSET', M, 'rv', redis.call('HGET', M, 'sf') or '')
      return
    end
  end
end
`;
