/** Measures records per second of one batch worker, against JSON.parse and objects. */
import { Bench } from 'tinybench'
import { dollars, QUERY_PRICE_MICROS } from '../../src/billing/money.ts'
import { openIndex } from '../../src/postal/index/open-index.ts'
import type { PostalCodes } from '../../src/postal/library/node.ts'
import { AnswerMaker } from '../../src/service/workers/answer-maker.ts'
import type { WorkerResult } from '../../src/service/workers/worker-result.ts'
import { type Benchmark, measuresOf, type Options, type Result } from '../benchmark.ts'
import { BATCH_RECORDS, batchOf } from '../input/bodies.ts'
import { openWorld, worldFile } from '../input/worlds.ts'
import { inTurn, processorNanos, ratioOf } from '../measure.ts'
import { loadPackage } from '../packages.ts'

const BODIES = 50
const RATE = 'records/s'
const GROUP = 'whole batches of 1,000 records'

export const bulk: Benchmark = {
  name: 'bulk',
  text: 'records/s through one worker in process, against JSON.parse and simdjson with the library',
  needsPackages: true,
  run: runBulk,
}

interface Simdjson {
  parse(text: string): unknown
}

async function runBulk({ quick }: Options): Promise<Result> {
  const codes = openWorld()
  const bodies = Array.from({ length: BODIES }, (_, i) =>
    Buffer.from(JSON.stringify({ apiKey: 'k', records: batchOf(codes, 100 + i) })),
  )
  const maker = new AnswerMaker(openIndex(worldFile('world')))
  const simdjson = loadPackage<Simdjson>('simdjson')
  const ways = {
    postrie: (body: Buffer) => bytesOf(maker.make('validate-bulk', body)),
    'JSON.parse and objects': (body: Buffer) => answerOf(codes, JSON.parse(body.toString())).length,
    'simdjson and objects': (body: Buffer) => answerOf(codes, simdjson.parse(body.toString())).length,
  }
  const contenders = Object.entries(ways).map(
    ([name, work]) => [name, () => rateOf(name, bodies, work, quick ? 2 : 20)] as const,
  )
  const taken = await inTurn(Object.fromEntries(contenders), quick ? 1 : 9)
  return {
    measures: measuresOf(GROUP, taken),
    findings: [
      { text: 'records per second', value: taken.postrie[RATE].median, wanted: { atLeast: 3_000_000 } },
      {
        text: 'against JSON.parse and objects',
        value: ratioOf(taken.postrie[RATE], taken['JSON.parse and objects'][RATE]),
      },
    ],
    notes: [],
  }
}

function bytesOf(result: WorkerResult): number {
  if (result.error !== null) throw new Error(`a batch of the benchmark was refused: ${result.error}`)
  return result.length
}

/** Returns the answer of `validate-bulk`, made with objects. */
function answerOf(codes: PostalCodes, body: unknown): string {
  const { records } = body as { records: { postalCode: string; countryCode: string }[] }
  const results = records.map(({ postalCode, countryCode }) => ({
    postalCode,
    countryCode: countryCode.toUpperCase(),
    ...codes.check(postalCode, countryCode),
  }))
  return JSON.stringify({ results, totalCost: dollars(results.length * QUERY_PRICE_MICROS) })
}

async function rateOf(
  name: string,
  bodies: readonly Buffer[],
  work: (body: Buffer) => number,
  passes: number,
) {
  // Processor time excludes other programs and includes the collector's helpers.
  const bench = new Bench({ now: () => processorNanos() / 1e6, time: 0, iterations: passes, warmup: false })
  let bytes = 0
  bench.add(name, () => {
    for (const body of bodies) bytes += work(body)
  })
  const [task] = await bench.run()
  const result = task?.result
  if (bytes === 0 || result?.state !== 'completed') throw new Error(`${name} gave nothing`)
  return { [RATE]: (passes * bodies.length * BATCH_RECORDS) / (result.totalTime / 1000) }
}
