/**
 * How far a check has come, in a file next to its output, so that it can go on after whatever ended it. What the file says has
 * been written and synced before; what was written after it is cut off.
 *
 *   results.csv            header | results of whole pieces ... | perhaps more
 *   results.csv.progress   {"input": …, "inputEnd": 123, "outputEnd": 456, "counts": {…}}   ^ cut here
 */
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Counts } from './counts.ts'
import { InputError } from './input-error.ts'
import type { CheckPlan } from './plan.ts'

/** Facts that must be the same for a check to go on. */
export interface Identity extends CheckPlan {
  /** Absolute path, size and time of change of the input. */
  input: string
  bytes: number
  changed: string
  build: string
  encoding: string
}

export interface Progress {
  /** Bytes of the input, as UTF-8, whose results have been written. */
  inputEnd: number
  outputEnd: number
  counts: Counts
}

type Saved = Identity & Omit<Progress, 'counts'> & { counts: SavedCounts }
type SavedCounts = Omit<Counts, 'wrongCodes'> & { wrongCodes: [string, number][] }

/** Identifies the input at `path`. @throws the system's error when it cannot be found */
export async function identify(
  path: string,
  plan: CheckPlan,
  build: string,
  encoding = '',
): Promise<Identity> {
  const { size, mtime } = await stat(path)
  return { ...plan, input: resolve(path), bytes: size, changed: mtime.toISOString(), build, encoding }
}

export class ProgressFile {
  readonly #path: string
  readonly #identity: Identity

  /** @param output path of the results */
  constructor(output: string, identity: Identity) {
    this.#path = `${output}.progress`
    this.#identity = identity
  }

  /** Where to go on; undefined when there is no earlier run. @throws InputError when that one was another check */
  async read(): Promise<Progress | undefined> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (text === undefined) return undefined
    const saved = parsed(text, this.#path)
    for (const name of Object.keys(this.#identity) as (keyof Identity)[]) {
      const [was, is] = [saved[name], this.#identity[name]].map(value => JSON.stringify(value) ?? 'not set')
      if (was !== is)
        throw new InputError(
          `${this.#path} is of another check, whose ${name} was ${shortened(was)} and not ${shortened(is)}: begin again with --overwrite`,
        )
    }
    const { inputEnd, outputEnd, counts } = saved
    return { inputEnd, outputEnd, counts: { ...counts, wrongCodes: new Map(counts.wrongCodes) } }
  }

  /** Notes how far everything has been written and synced. */
  async write(progress: Progress): Promise<void> {
    const { counts, ...ends } = progress
    const saved: Saved = {
      ...this.#identity,
      ...ends,
      counts: { ...counts, wrongCodes: [...counts.wrongCodes] },
    }
    const draft = `${this.#path}.new`
    try {
      await writeFile(draft, `${JSON.stringify(saved)}\n`)
      await rename(draft, this.#path)
    } catch (error) {
      // A full disk leaves an empty file, which nothing would ever replace.
      await rm(draft, { force: true })
      throw error
    }
  }

  /** The check is complete, or begins again. */
  async remove(): Promise<void> {
    await rm(this.#path, { force: true })
  }
}

function parsed(text: string, path: string): Saved {
  try {
    const saved = JSON.parse(text) as Saved
    const isPlace = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
    if (isPlace(saved.inputEnd) && isPlace(saved.outputEnd) && Array.isArray(saved.counts.wrongCodes))
      return saved
  } catch {}
  throw new InputError(`${path} cannot be read: begin again with --overwrite`)
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
