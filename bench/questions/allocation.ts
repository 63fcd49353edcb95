/** How much garbage does a request leave in the steady state? */
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { Accounts } from '../../src/accounts/accounts.ts'
import { lookup } from '../../src/api/endpoints/lookup.ts'
import { metacode } from '../../src/api/endpoints/metacode.ts'
import { validate } from '../../src/api/endpoints/validate.ts'
import { answer } from '../../src/api/response/answer.ts'
import { ApiRequest, type Endpoint } from '../../src/api/service.ts'
import { prepareLedger } from '../http/accounts.ts'
import { writeBodies } from '../http/bodies.ts'
import { worldIndex } from '../input/worlds.ts'
import { type Answer, measure, type Options, type Question } from '../question.ts'
import { spreadOf } from '../statistics.ts'

const ENDPOINTS: Readonly<Record<string, Endpoint>> = { lookup, metacode, validate }
const UNIT = 'bytes per request'

export const allocation: Question = {
  name: 'allocation',
  text: 'bytes of heap that a request allocates in the steady state, by sampling every allocation',
  rivals: false,
  run: runAllocation,
}

async function runAllocation({ quick }: Options): Promise<Answer> {
  const index = worldIndex()
  const { dir, apiKey } = await prepareLedger()
  const meter = await Accounts.open({ dir })
  const request = new ApiRequest({ index, meter })
  const bodies = readFileSync(writeBodies(index).lookup.file, 'utf8')
    .split('\n')
    .map(body => new Uint8Array(Buffer.from(body.replace('@KEY@', apiKey))))
  const measures = []
  const notes = [
    'From the bytes of the body to the bytes of the answer; what the HTTP server allocates comes on top.',
  ]
  for (const [name, endpoint] of Object.entries(ENDPOINTS)) {
    const passes = () => pass(request, endpoint, bodies, quick ? 2 : 20)
    passes()
    passes()
    const { bytes, where } = await sampled(passes)
    measures.push(
      measure('in process', `postrie, ${name}`, UNIT, spreadOf([bytes / (bodies.length * (quick ? 2 : 20))])),
    )
    if (where !== '') notes.push(`${name}: most of it in ${where}`)
  }
  await meter.close()
  return { measures, ratios: [], charts: [], notes }
}

function pass(request: ApiRequest, endpoint: Endpoint, bodies: readonly Uint8Array[], times: number): void {
  for (let time = 0; time < times; time++) {
    for (const body of bodies) {
      answer(request, endpoint, body)
      request.output.view()
    }
  }
}

interface ProfileNode {
  callFrame: { functionName: string; url: string }
  selfSize: number
  children: ProfileNode[]
}

/** Bytes that `work` allocates, live or not, and the functions that allocate most. */
async function sampled(work: () => void): Promise<{ bytes: number; where: string }> {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: 1024,
    // Also what has been collected by the end: otherwise only leaks would show.
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  } as object)
  work()
  const { profile } = await session.post('HeapProfiler.stopSampling')
  session.disconnect()
  const sizes = new Map<string, number>()
  collect(profile.head as ProfileNode, sizes)
  const sorted = [...sizes].filter(([, size]) => size > 0).sort(([, a], [, b]) => b - a)
  const bytes = sorted.reduce((sum, [, size]) => sum + size, 0)
  return {
    bytes,
    where: sorted
      .slice(0, 3)
      .map(([name, size]) => `${name} (${Math.round((size / bytes) * 100)} %)`)
      .join(', '),
  }
}

function collect(node: ProfileNode, sizes: Map<string, number>): void {
  const name = node.callFrame.functionName || '(program)'
  sizes.set(name, (sizes.get(name) ?? 0) + node.selfSize)
  for (const child of node.children) collect(child, sizes)
}
