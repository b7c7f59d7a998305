import { lua } from "./script.js";

/** What never reached a person does not stay in a history either: model and page would read it as said. */
export const unsaid = lua`
local function spokenIn(text)
  if string.sub(text, 1, 14) == '{"role":"said"' then
    return cjson.decode(text).id
  end
  return string.match(text, '^[mc]%["([^"]*)"')
end

-- Takes a part out of the history when the first piece of it is withheld. Of a part begun to be sent all stays.
local function unsay(row)
  local id = string.match(row, '^[^\n]*\n"([^\n]*)%.0"\n')
  if not id then
    return
  end
  local record = redis.call('GET', key('r'))
  local call = record and cjson.decode(record).id .. '.'
  local own = call and string.sub(id, 1, #call) == call and '~' .. string.sub(id, #call)
  local rows = redis.call('LRANGE', key('h'), 0, -1)
  for index = #rows, 1, -1 do
    local said = spokenIn(rows[index])
    if said and (said == id or said == own) then
      redis.call('LREM', key('h'), -1, rows[index])
      redis.call('HINCRBY', M, 'hn', -1)
      return
    end
  end
end
`;
