/** A map that survives the process: each change is a line of JSON, appended and synced. FORMAT.md has the format. */
import { constants } from 'node:fs'
import type { KeyedStore } from '../shell/keyed-store.ts'
import { openPrivate, readPrivate, replacePrivate } from '../shell/private-file.ts'
import { KeyedValues } from './keyed-values.ts'

/** A file with so many lines is written again once half of them are stale. */
const LINES_BEFORE_REWRITE = 1000

export class KeyedFile<T> extends KeyedValues<T> implements KeyedStore<T> {
  readonly #path: string
  /** Lines that wait for the write in progress to end. */
  #waiting: string[] = []
  #writing: Promise<void> = Promise.resolve()
  #lines = 0
  /** After a failed write nobody knows where the file ends. */
  #isTorn = false

  private constructor(path: string) {
    super()
    this.#path = path
  }

  /**
   * Reads the file at `path`, if there is one, and writes it again without what is stale.
   * @param parse turns the JSON of a value into a value; null when it is not one
   * @throws Error when the file is not private
   */
  static async open<T>(path: string, parse: (value: unknown) => T | null): Promise<KeyedFile<T>> {
    const file = (await KeyedFile.openExisting(path, parse)) ?? new KeyedFile<T>(path)
    await file.#rewrite()
    return file
  }

  /** As `open`, and writes nothing; null when there is no file. */
  static async openExisting<T>(
    path: string,
    parse: (value: unknown) => T | null,
  ): Promise<KeyedFile<T> | null> {
    const text = await readPrivate(path)
    if (text === undefined) return null
    const file = new KeyedFile<T>(path)
    // The last piece is empty, unless a crash cut a line.
    for (const line of text.toString().split('\n').slice(0, -1)) if (!file.#apply(line, parse)) file.damaged++
    return file
  }

  set(key: string, value: T): Promise<void> {
    this.values.set(key, value)
    return this.#write(JSON.stringify([key, value]))
  }

  async delete(key: string): Promise<void> {
    if (this.values.delete(key)) await this.#write(JSON.stringify([key]))
  }

  settled(): Promise<void> {
    return this.#writing.catch(() => {})
  }

  close(): Promise<void> {
    return this.settled()
  }

  #write(line: string): Promise<void> {
    this.#waiting.push(line)
    // The first line that waits asks for a write; those that follow until it begins go with it.
    if (this.#waiting.length === 1)
      this.#writing = this.#writing.catch(() => {}).then(() => this.#flush(this.#waiting.splice(0)))
    return this.#writing
  }

  async #flush(lines: readonly string[]): Promise<void> {
    this.#lines += lines.length
    const isStale = this.#lines >= LINES_BEFORE_REWRITE && this.#lines >= 2 * this.values.size
    if (isStale || this.#isTorn) return this.#rewrite()
    this.#isTorn = true
    const file = await openPrivate(this.#path, constants.O_WRONLY | constants.O_APPEND)
    try {
      await file.appendFile(lines.map(line => `${line}\n`).join(''))
      await file.datasync()
    } finally {
      await file.close()
    }
    this.#isTorn = false
  }

  async #rewrite(): Promise<void> {
    const entries = [...this.values]
    await replacePrivate(this.#path, entries.map(entry => `${JSON.stringify(entry)}\n`).join(''))
    this.#lines = entries.length
    this.#isTorn = false
  }

  #apply(line: string, parse: (value: unknown) => T | null): boolean {
    let entry: unknown
    try {
      entry = JSON.parse(line)
    } catch {
      return false
    }
    if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false
    const [key, json] = entry as [string, unknown]
    if (entry.length === 1) {
      this.values.delete(key)
      return true
    }
    const value = parse(json)
    if (value === null) return false
    this.values.set(key, value)
    return true
  }
}
