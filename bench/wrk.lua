-- Sends the bodies of a file, one a line, in turn, and prints the results as JSON.
-- POSTRIE_BODIES names the file; POSTRIE_KEY takes the place of @KEY@ in each body.

local requests = {}
local count = 0
local nextRequest = 0

function init(args)
  local key = os.getenv("POSTRIE_KEY")
  local headers = { ["Content-Type"] = "application/json", ["Host"] = "localhost" }
  for body in io.lines(os.getenv("POSTRIE_BODIES")) do
    count = count + 1
    -- Formatted once: what is left for each request is a look-up in a table.
    requests[count] = wrk.format("POST", nil, headers, (body:gsub("@KEY@", key, 1)))
  end
end

function request()
  nextRequest = nextRequest % count + 1
  return requests[nextRequest]
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"durationMicros":%d,"p50Micros":%d,"p99Micros":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
