/** The process of one contender: loads it, then finds the same codes as often as it is asked. */
import { readFileSync } from 'node:fs'
import { answerParent } from '../child.ts'
import { memoryUse } from '../memory-use.ts'
import { processorNanos } from '../processor-time.ts'
import { CONTENDERS, type Contender } from './contenders.ts'

const [, , name, indexFile, codesFile] = process.argv
const codes: string[] = JSON.parse(readFileSync(codesFile, 'utf8'))

let contender: Contender

answerParent({
  /** @returns milliseconds of processor time until the first answer, and bytes of heap after every code has been found once */
  load() {
    const before = memoryUse()
    const started = processorNanos()
    contender = CONTENDERS[name](indexFile, codes)
    contender.find(codes[0])
    const ms = (processorNanos() - started) / 1e6
    pass(code => contender.find(code) !== undefined)
    const after = memoryUse()
    return { ms, heap: after.heapBytes - before.heapBytes }
  },
  /** Latitude and city of every code, for the comparison; the city is null where the package has none. */
  answers: () =>
    codes.map(code => {
      const found = contender.find(code)
      return found === undefined ? null : [found.city ?? null, found.latitude ?? null]
    }),
  /** Nanoseconds for a code that is found, with its latitude and name read. */
  find: () => pass(code => readable(contender.find(code))),
  exists: () => pass(code => contender.exists?.(code) ?? contender.find(code) !== undefined),
})

function readable(found: ReturnType<Contender['find']>): boolean {
  return found !== undefined && found.latitude !== 91 && found.city !== ''
}

/** Nanoseconds of processor time for each code. The count is also the sink: what is read cannot be optimised away. */
function pass(isThere: (code: string) => boolean): number {
  // A string of a request has no hash yet.
  const fresh = codes.map(code => Buffer.from(code, 'latin1').toString('latin1'))
  globalThis.gc?.()
  let found = 0
  const started = processorNanos()
  for (const code of fresh) if (isThere(code)) found++
  const nanos = processorNanos() - started
  if (found !== codes.length) throw new Error(`${name} found ${found} of ${codes.length} codes`)
  return nanos / codes.length
}
