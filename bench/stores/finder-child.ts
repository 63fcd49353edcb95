/** The process of one finder: loads the codes of an index, then finds samples as often as it is asked. */
import { openIndex } from '../../src/index/open-index.ts'
import { answerParent } from '../child.ts'
import { absentCodes, type SampleCode, sampleCodes } from '../input/samples.ts'
import { memoryUse } from '../memory-use.ts'
import { processorNanos } from '../processor-time.ts'
import { type Finder, freshKeys, makeQueries, type Queries } from './finder.ts'
import { FINDERS } from './finders.ts'

const [, , name, indexFile, count] = process.argv

let finder: Finder
const samples = new Map<string, { codes: SampleCode[]; queries: Queries }>()

answerParent({
  /** @returns bytes of memory that the contender takes, after each code of the sample has been found once */
  async load() {
    // The samples first, so that they count on both sides.
    const index = openIndex(indexFile)
    for (const [kind, codes] of [
      ['found', sampleCodes(index, Number(count), 1)],
      ['absent', absentCodes(index, Number(count), 2)],
    ] as const) {
      samples.set(kind, { codes, queries: makeQueries(codes) })
    }
    const before = memoryUse()
    finder = await FINDERS[name](index)
    find('found')
    const after = memoryUse()
    return { resident: after.residentBytes - before.residentBytes, heap: after.heapBytes - before.heapBytes }
  },
  find,
})

/** Nanoseconds for each code of the sample. */
function find(kind: string): number {
  const sample = samples.get(kind)
  if (sample === undefined) throw new Error(`no sample is named ${kind}`)
  sample.queries.keys = freshKeys(sample.codes)
  globalThis.gc?.()
  const started = processorNanos()
  const found = finder.find(sample.queries)
  const nanos = processorNanos() - started
  // Also the sink: what is read here cannot be optimised away.
  if (found !== (kind === 'found' ? sample.codes.length : 0)) {
    throw new Error(`${name} found ${found} of ${sample.codes.length} codes that are ${kind}`)
  }
  return nanos / sample.codes.length
}
