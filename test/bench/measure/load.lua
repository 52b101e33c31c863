-- Arguments: method, path, body, number of ids, first id, prefix for {unique}, file of lines for {line}.
-- Requests without {unique} are formatted once, so that the load generator itself costs little.

local ready = {}
local turn = 0
local fresh = false
local method, path, body, word

function init(args)
  math.randomseed(os.time())
  method, path, body = args[1], args[2], args[3]
  local count, first = tonumber(args[4]), tonumber(args[5])
  word = args[6]
  if body == "" then body = nil end
  fresh = body ~= nil and body:find("{unique}", 1, true) ~= nil
  if args[7] ~= "" then
    for line in io.lines(args[7]) do
      ready[#ready + 1] = wrk.format(method, (path:gsub("{line}", line)), nil, body)
    end
    -- Rounds begin at different lines.
    turn = math.random(#ready)
  elseif not fresh then
    for i = 1, count do
      ready[i] = wrk.format(method, (path:gsub("{id}", first + i - 1)), nil, body)
    end
  end
end

function request()
  turn = turn + 1
  if fresh then
    return wrk.format(method, path, nil, (body:gsub("{unique}", word .. turn)))
  end
  return ready[turn % #ready + 1]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"p50_us":%d,"p99_us":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
