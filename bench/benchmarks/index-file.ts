/** Measures bytes per code, time to open, and time to find a code, against a Map. */
import { statSync } from 'node:fs'
import { openIndex } from '../../src/postal/library/node.ts'
import { type Benchmark, measuresOf, type Options, type Result } from '../benchmark.ts'
import { sampleCodes } from '../input/samples.ts'
import { WORLDS, worldFile } from '../input/worlds.ts'
import { inTurn, processorNanos, ratioOf, spreadOf } from '../measure.ts'
import { canonical } from '../rivals/lookup.ts'
import { mapStore } from '../rivals/records.ts'

const BYTES = 'bytes per code'
const NANOS = 'ns per code'
const OPENING = 'ms to open'
const OURS = 'postrie'
const MAP = 'Map of objects'

export const indexFile: Benchmark = {
  name: 'index',
  text: 'bytes per code, time to open, time to find a code; against a Map, for the United States and the world',
  needsPackages: false,
  run: runIndex,
}

async function runIndex({ quick, log }: Options): Promise<Result> {
  const result: Result = { measures: [], findings: [], notes: [NOTE] }
  for (const world of WORLDS) {
    log(world)
    const file = worldFile(world)
    const codes = openIndex(file)
    const count = codes.about().codes
    const title = `${count.toLocaleString('en-US')} codes`
    const samples = sampleCodes(codes, quick ? 20_000 : 200_000, 1)
    const heapBefore = heapBytes()
    const map = mapStore(codes)
    const mapBytes = heapBytes() - heapBefore
    const keys = samples.map(({ country, text }) => ({ country, text, key: canonical(text) }))
    const taken = await inTurn(
      {
        [OURS]: () => nanosOf(keys, ({ country, text }) => codes.lookup(text, country) !== undefined),
        [MAP]: () => nanosOf(keys, ({ country, key }) => map.find(country, key) !== undefined),
      },
      quick ? 2 : 9,
    )
    const fileBytes = statSync(file).size
    const opening = spreadOf(Array.from({ length: 9 }, () => openingMs(file)))
    result.measures.push(
      ...measuresOf(`found, ${title}`, taken),
      ...measuresOf(`memory, ${title}`, {
        [OURS]: { [BYTES]: spreadOf([fileBytes / count]) },
        [MAP]: { [BYTES]: spreadOf([mapBytes / count]) },
      }),
      ...measuresOf(`opening, ${title}`, { [OURS]: { [OPENING]: opening } }),
    )
    const isWorld = world === 'world'
    result.findings.push(
      { text: `${title}: time against a Map`, value: ratioOf(taken[OURS][NANOS], taken[MAP][NANOS]) },
      {
        text: `${title}: bytes of a code, everything included`,
        value: fileBytes / count,
        wanted: isWorld ? { atMost: 90 } : undefined,
      },
      {
        text: `${title}: ms to open`,
        value: opening.median,
        wanted: isWorld ? { atMost: 10 } : undefined,
      },
    )
    await codes.close()
  }
  return result
}

const NOTE =
  'The index has the data of all endpoints. The Map has eight fields of each code and no city search. Times are processor time.'

function heapBytes(): number {
  if (globalThis.gc === undefined) throw new Error('start Node.js with --expose-gc')
  globalThis.gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Measures the processor time of finding a code. @throws Error unless all are found */
function nanosOf<T>(codes: readonly T[], isFound: (code: T) => boolean) {
  let found = 0
  const started = processorNanos()
  for (const code of codes) if (isFound(code)) found++
  const nanos = processorNanos() - started
  if (found !== codes.length) throw new Error(`${found} of ${codes.length} codes were found`)
  return { [NANOS]: nanos / codes.length }
}

function openingMs(file: string): number {
  const started = performance.now()
  const codes = openIndex(file)
  const ms = performance.now() - started
  void codes.close()
  return ms
}
