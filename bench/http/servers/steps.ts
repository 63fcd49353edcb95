/**
 * A lookup as postrie handles it, cut off after one of its steps. The answer is a constant with the size of a real one. The
 * cost of a step is the difference from the server that stops one step earlier.
 */
import uws from 'uWebSockets.js'
import { Accounts } from '../../../src/accounts/accounts.ts'
import type { ApiKey } from '../../../src/accounts/types.ts'
import { lookup } from '../../../src/api/endpoints/lookup.ts'
import { FIELD } from '../../../src/api/request/field-slots.ts'
import { ApiRequest } from '../../../src/api/service.ts'
import { latitude } from '../../../src/format/code-record.ts'
import { isFramed } from '../../../src/http/framing.ts'
import { openIndex } from '../../../src/index/open-index.ts'
import { prepareLedger } from '../accounts.ts'
import { PATHS, type Start } from '../setup.ts'
import { STEPS } from '../steps.ts'
import { listen } from './uws-listen.ts'

const CONTENT_TYPE = Buffer.from('Content-Type')
const JSON_TYPE = Buffer.from('application/json')

export const startSteps: Start = async ({ indexFile, port, answerBytes = {}, lastStep = STEPS[0] }) => {
  const { dir, apiKey } = await prepareLedger()
  const accounts = await Accounts.open({ dir })
  const request = new ApiRequest({ index: openIndex(indexFile), meter: accounts })
  const work = workUpTo(request, STEPS.indexOf(lastStep))
  const constant = Buffer.alloc(answerBytes.lookup ?? 400, 'x')
  const app = uws.App()
  app.post(PATHS.lookup, (res, req) => {
    if (!isFramed(req)) return void res.close()
    res.onAborted(() => {})
    res.onData((chunk, isLast) => {
      if (!isLast) throw new Error('a body came in pieces: the benchmark sends none that large')
      work(chunk)
      res.writeHeader(CONTENT_TYPE, JSON_TYPE).end(constant)
    })
  })
  await listen(app, port)
  return { apiKey }
}

/** What `answer` of `src/api` does, without its refusals: every request of the benchmark is one that is answered. */
function workUpTo(request: ApiRequest, last: number): (chunk: ArrayBuffer) => void {
  const { fields, service } = request
  const { index, meter } = service
  return chunk => {
    if (last < 1) return
    request.begin(performance.now())
    expect(fields.read(new Uint8Array(chunk)))
    if (last < 2) return
    expect(fields.hasText(FIELD.apiKey))
    const key = meter.authenticate(fields.bytes, fields.starts[FIELD.apiKey], fields.ends[FIELD.apiKey])
    expect(key !== undefined)
    request.authenticatedMs = performance.now()
    expect(meter.admit(key as ApiKey, 1) === 0)
    if (last < 3) return
    expect(lookup.check(request) === null && lookup.find(request) === null)
    // Read only so that it is fetched; checked, or the compiler would leave the reading out.
    expect(!Number.isNaN(latitude(index.codes, request.code)))
    if (last < 4) return
    expect(meter.charge(key as ApiKey, lookup.usage, 1))
    if (last < 5) return
    lookup.write(request, key as ApiKey)
  }
}

function expect(holds: boolean): void {
  if (!holds) throw new Error('a request of the benchmark was refused')
}
