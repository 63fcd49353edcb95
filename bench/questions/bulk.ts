/** How many records a second does one worker validate, compared with ways that parse JSON into objects? */
import { createRequire } from 'node:module'
import type { BulkResult } from '../../src/bulk/bulk-result.ts'
import { BatchValidator } from '../../src/bulk/validate-batch.ts'
import { plainPayers } from '../http/accounts.ts'
import { BULK_RECORDS, bulkRecords } from '../http/bodies.ts'
import { PlainService } from '../http/plain-service.ts'
import { worldIndex } from '../input/worlds.ts'
import { processorNanos } from '../processor-time.ts'
import { type Answer, measure, type Options, type Question } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf } from '../statistics.ts'
import { IndexStore } from '../stores/index-store.ts'

const BODIES = 50
const RATE = 'records/s'
const GROUP = 'whole batches of 1,000 records'
/** What part of the work alone would come to; no contender. */
const PARTS = 'only parsed, nothing looked up or written'

export const bulk: Question = {
  name: 'bulk',
  text: 'records per second through one worker, in process, against JSON.parse and simdjson',
  rivals: false,
  run: runBulk,
}

interface Simdjson {
  isValid(text: string): boolean
  parse(text: string): unknown
}

async function runBulk({ quick }: Options): Promise<Answer> {
  const index = worldIndex()
  const { apiKey, findPayer } = plainPayers()
  const bodies = Array.from({ length: BODIES }, (_, i) =>
    Buffer.from(JSON.stringify({ apiKey, records: bulkRecords(index, BULK_RECORDS, 100 + i) })),
  )
  const validator = new BatchValidator(index)
  const service = new PlainService(new IndexStore(index), findPayer)
  const passes = quick ? 2 : 20
  const rate = (name: string, work: (body: Buffer) => number) =>
    [name, () => timed(bodies, passes, work)] as const
  const viaObjects = (parse: (text: string) => unknown) => (body: Buffer) =>
    JSON.stringify(service.bulk(parse(body.toString()) as Record<string, unknown>).body).length
  const ways = [
    rate('postrie', body => resultBytes(validator.validate(body))),
    rate('the same with JSON.parse', viaObjects(JSON.parse)),
    rate('JSON.parse alone, no validation', body => Object.keys(JSON.parse(body.toString())).length),
  ]
  const simdjson = loadSimdjson()
  if (simdjson !== undefined) {
    ways.push(
      rate('the same with simdjson.parse', viaObjects(simdjson.parse)),
      rate('simdjson.isValid alone', body => Number(simdjson.isValid(body.toString()))),
    )
  }
  const taken = await inTurn(Object.fromEntries(ways), quick ? 1 : 9)
  const measures = Object.entries(taken).map(([name, spreads]) =>
    measure(name.includes('alone') ? PARTS : GROUP, name, RATE, spreads[RATE]),
  )
  const [ours, parsed] = [taken.postrie[RATE], taken['the same with JSON.parse'][RATE]]
  return {
    measures,
    ratios: [
      { text: 'records per second', value: ours.median, wanted: '>= 2000000' },
      { text: 'against the same with JSON.parse', value: ratioOf(ours, parsed), wanted: '>= 5' },
    ],
    charts: [CHART],
    notes: simdjson === undefined ? ['simdjson, an optional dependency, is not installed.'] : [],
  }
}

const CHART = {
  file: 'bulk',
  title: 'Bulk validation, one thread',
  description: 'Records per second, bytes in and bytes out, batches of 1,000 records of all countries.',
  unit: RATE,
  groups: [GROUP],
  lessIsBetter: false,
}

function timed(
  bodies: readonly Buffer[],
  passes: number,
  work: (body: Buffer) => number,
): { [RATE]: number } {
  let bytes = 0
  const started = processorNanos()
  for (let pass = 0; pass < passes; pass++) for (const body of bodies) bytes += work(body)
  const seconds = (processorNanos() - started) / 1e9
  if (bytes === 0) throw new Error('nothing came back: nothing was measured')
  return { [RATE]: (passes * bodies.length * BULK_RECORDS) / seconds }
}

/** Optional: it needs a compiler where no built one fits. */
function loadSimdjson(): Simdjson | undefined {
  try {
    return createRequire(import.meta.url)('simdjson') as Simdjson
  } catch {
    return undefined
  }
}

function resultBytes(result: BulkResult): number {
  if (result.error !== null) throw new Error(`a batch of the benchmark was refused: ${result.error}`)
  return result.length
}
