/**
 * Progress of a check, in a file next to its output, to resume after an interruption. Results are written and
 * synced before their progress. On resuming, later results are cut off.
 *
 *   results.csv            header | results of whole pieces ... | perhaps more
 *   results.csv.progress   {"input": …, "inputEnd": 123, "outputEnd": 456, "counts": {…}}   ^ cut here
 */
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { writeWhole } from '../../platform/replace-file.ts'
import type { CheckPlan } from './plan.ts'
import type { Counts } from './summary.ts'

/** Facts that must be unchanged to resume a check. */
interface Identity extends Omit<CheckPlan, 'malformed'> {
  /** Absolute path of the input. */
  input: string
  build: string
  encoding: string
}

export interface Progress {
  inputEnd: number
  inputCrc: number
  outputEnd: number
  counts: Counts
}

/** Content of the file. Its maps are arrays of entries. */
type Saved = Identity & Progress

/** Returns the identity of a check. A resumed check may treat malformed records in another way. */
export function identify(
  path: string,
  { malformed: _, ...plan }: CheckPlan,
  build: string,
  encoding = '',
): Identity {
  return { ...plan, input: resolve(path), build, encoding }
}

export type ProgressFile = ReturnType<typeof progressFile>

export function progressFile(output: string, identity: Identity) {
  const path = `${output}.progress`
  return {
    /** Returns an earlier run's progress, if there is one. @throws Error if it was another check */
    async read(): Promise<Progress | undefined> {
      if (!existsSync(path)) return undefined
      const saved = parseSaved(await readFile(path, 'utf8'), path)
      for (const name of Object.keys(identity) as (keyof Identity)[]) {
        const [was, is] = [saved[name], identity[name]].map(value => JSON.stringify(value) ?? 'not set')
        if (was !== is)
          throw new Error(
            `${path} belongs to another check: its ${name} was ${shorten(was)}, not ${shorten(is)}. Begin again with --overwrite`,
          )
      }
      const { inputEnd, inputCrc, outputEnd, counts } = saved
      return {
        inputEnd,
        inputCrc,
        outputEnd,
        counts: {
          ...counts,
          wrongCodes: new Map(counts.wrongCodes),
          wrongCountries: new Map(counts.wrongCountries),
        },
      }
    },
    /** Writes the progress. Its results must be synced. */
    async write(progress: Progress): Promise<void> {
      const saved: Saved = { ...identity, ...progress }
      const text = JSON.stringify(saved, (_, value) => (value instanceof Map ? [...value] : value))
      await writeWhole(path, `${text}\n`)
    },
    remove: () => rm(path, { force: true }),
  }
}

function parseSaved(text: string, path: string): Saved {
  try {
    const saved = JSON.parse(text) as Saved
    const isPosition = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
    if (
      isPosition(saved.inputEnd) &&
      isPosition(saved.outputEnd) &&
      Array.isArray(saved.counts.wrongCountries)
    )
      return saved
  } catch {}
  throw new Error(`${path} cannot be read: begin again with --overwrite`)
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
