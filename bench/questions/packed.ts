/** What does a batch cost as MessagePack, in and out, against the same as JSON? */
import { pack } from 'msgpackr'
import type { BatchKind } from '../../src/bulk/bulk-result.ts'
import { BatchValidator } from '../../src/bulk/validate-batch.ts'
import { BULK_BODY_BYTES_MAX } from '../../src/limits.ts'
import { PackedReader } from '../../src/text/json-from-packed.ts'
import { PackedWriter } from '../../src/text/packed-from-json.ts'
import { BULK_RECORDS, bulkRecords } from '../http/bodies.ts'
import { worldIndex } from '../input/worlds.ts'
import { processorNanos } from '../processor-time.ts'
import { type Answer, type Measure, measure, type Options, type Question, type Ratio } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf } from '../statistics.ts'

const BODIES = 50
const MICROS = 'µs per batch'
const BYTES = 'bytes in and out'
const KINDS: Readonly<Record<string, BatchKind>> = {
  'validate-bulk, 1,000 records': 'validate',
  'lookup-bulk, 1,000 records': 'lookup',
}
const CLOSING = Buffer.from('}')

export const packed: Question = {
  name: 'packed',
  text: 'batches as MessagePack, in and out, against the same as JSON, in process',
  rivals: false,
  run: runPacked,
}

/** What a worker does with a body: the bytes of the answer. */
type Work = (body: Uint8Array) => Uint8Array

async function runPacked({ quick, log }: Options): Promise<Answer> {
  const index = worldIndex()
  const objects = Array.from({ length: BODIES }, (_, i) => ({
    apiKey: 'pk_live_0123456789abcdef0123456789abcdef',
    records: bulkRecords(index, BULK_RECORDS, 100 + i),
  }))
  const written = objects.map(body => new Uint8Array(Buffer.from(JSON.stringify(body))))
  const packedBodies = objects.map(body => new Uint8Array(pack(body)))
  const measures: Measure[] = []
  const ratios: Ratio[] = []
  for (const [group, kind] of Object.entries(KINDS)) {
    log(group)
    const validator = new BatchValidator(index, kind)
    const reader = new PackedReader()
    const writer = new PackedWriter()
    const json: Work = body => answerOf(validator, body)
    const message: Work = body =>
      writer.packed(answerOf(validator, reader.json(body, BULK_BODY_BYTES_MAX) as Uint8Array))
    const taken = await inTurn(
      {
        JSON: () => timed(written, json, quick ? 2 : 10),
        MessagePack: () => timed(packedBodies, message, quick ? 2 : 10),
      },
      quick ? 2 : 15,
    )
    for (const [name, spreads] of Object.entries(taken))
      for (const unit of [MICROS, BYTES] as const) measures.push(measure(group, name, unit, spreads[unit]))
    ratios.push(
      {
        text: `${group}: time of MessagePack against JSON`,
        value: ratioOf(taken.MessagePack[MICROS], taken.JSON[MICROS]),
      },
      {
        text: `${group}: bytes of MessagePack against JSON`,
        value: ratioOf(taken.MessagePack[BYTES], taken.JSON[BYTES]),
      },
    )
  }
  return {
    measures,
    ratios,
    charts: [],
    notes: ['From the bytes of the body to those of the answer, as a bulk worker does it.'],
  }
}

function answerOf(validator: BatchValidator, body: Uint8Array): Uint8Array {
  const result = validator.validate(body)
  if (result.error !== null) throw new Error(`a batch of the benchmark was refused: ${result.error}`)
  // The rest of an answer goes there.
  result.bytes.set(CLOSING, result.length)
  return result.bytes.subarray(0, result.length + CLOSING.length)
}

function timed(bodies: readonly Uint8Array[], work: Work, passes: number) {
  let bytes = 0
  const started = processorNanos()
  for (let pass = 0; pass < passes; pass++)
    for (const body of bodies) bytes += body.length + work(body).length
  const count = passes * bodies.length
  return { [MICROS]: (processorNanos() - started) / 1000 / count, [BYTES]: bytes / count }
}
