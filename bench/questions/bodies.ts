/** What does a body cost that is not flat ASCII, or not JSON, against `JSON.parse` and simdjson? */
import { createRequire } from 'node:module'
import { Fields } from '../../src/api/request/fields.ts'
import { RecordWriter } from '../../src/bulk/record-writer.ts'
import { BatchValidator } from '../../src/bulk/validate-batch.ts'
import { type Mixture, unusualBatches, unusualBodies } from '../input/unusual-bodies.ts'
import { worldIndex } from '../input/worlds.ts'
import { parseBatch } from '../parsed/parse-batch.ts'
import { parseFields } from '../parsed/parse-fields.ts'
import { processorNanos } from '../processor-time.ts'
import { type Answer, type Measure, measure, type Options, type Question, type Ratio } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf } from '../statistics.ts'

const NANOS = 'ns per body'
const BODIES = 4_000
const BATCHES = 40
const PARSED = 'the same with JSON.parse'

export const bodies: Question = {
  name: 'bodies',
  text: 'reading bodies with escapes, other alphabets, nesting and further fields, and refusing malformed ones, against JSON.parse',
  rivals: false,
  run: runBodies,
}

/** Reads a body. @returns whether it was accepted */
type Read = (body: Uint8Array) => boolean

async function runBodies({ quick, log }: Options): Promise<Answer> {
  const index = worldIndex()
  const fields = new Fields()
  const validator = new BatchValidator(index)
  const writer = new RecordWriter(index)
  const singles: Record<string, Read> = {
    postrie: body => fields.read(body),
    [PARSED]: body => parseFields(body) !== undefined,
  }
  const batches: Record<string, Read> = {
    postrie: body => validator.validate(body).error === null,
    [PARSED]: body => parseBatch(body, writer).error === null,
  }
  const isValid = loadIsValid()
  if (isValid !== undefined) {
    const alone: Read = body => isValid(Buffer.from(body.buffer, body.byteOffset, body.length).toString())
    singles['simdjson.isValid alone, nothing read'] = alone
    batches['simdjson.isValid alone, nothing read'] = alone
  }
  const measures: Measure[] = []
  const ratios: Ratio[] = []
  const compare = async (title: string, readers: Record<string, Read>, mixture: Mixture, rounds: number) => {
    for (const kind of ['unusual', 'malformed'] as const) {
      const group = `${kind} ${title}`
      log(group)
      const ways = Object.entries(readers).map(
        ([name, read]) => [name, () => timed(mixture[kind], read, kind === 'unusual')] as const,
      )
      const taken = await inTurn(Object.fromEntries(ways), rounds)
      for (const [name, spreads] of Object.entries(taken))
        measures.push(measure(group, name, NANOS, spreads[NANOS]))
      ratios.push({
        text: `${group}: time of JSON.parse against ours`,
        value: ratioOf(taken[PARSED][NANOS], taken.postrie[NANOS]),
        wanted: '>= 3',
      })
    }
  }
  await compare('single bodies', singles, unusualBodies(index, BODIES), quick ? 2 : 15)
  await compare('batches of 1,000', batches, unusualBatches(index, BATCHES), quick ? 2 : 15)
  return {
    measures,
    ratios,
    charts: [],
    notes: [
      'A batch is read, looked up and written; the two ways differ in the reading. Malformed bodies are cut short, printed by Python, or have one comma too many, a NaN or a line break in a string, in equal parts.',
      'simdjson cannot judge alone: it refuses lone surrogates, numbers beyond 64 bits and deep nesting, which JSON has.',
      ...(isValid === undefined ? ['simdjson, an optional dependency, is not installed.'] : []),
    ],
  }
}

function timed(list: readonly Uint8Array[], read: Read, isJson: boolean): { [NANOS]: number } {
  let accepted = 0
  const started = processorNanos()
  for (const body of list) if (read(body)) accepted++
  const nanos = processorNanos() - started
  if (accepted !== (isJson ? list.length : 0)) throw new Error(`${accepted} of ${list.length} were accepted`)
  return { [NANOS]: nanos / list.length }
}

/** Optional: it needs a compiler where no built one fits. */
function loadIsValid(): ((text: string) => boolean) | undefined {
  try {
    return (createRequire(import.meta.url)('simdjson') as { isValid(text: string): boolean }).isValid
  } catch {
    return undefined
  }
}
