/**
 * A durable map, in a file of DATA_DIR or in the database of a fleet. Its values are in memory. Changes are written in batches.
 * alerts/FORMAT.md describes the file.
 */
import { constants } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import type { DashboardRows } from '../../fleet/dashboard-rows.ts'
import type { DashboardRow, DashboardRowChange } from '../../fleet/store.ts'
import type { Log } from '../../platform/log.ts'
import { openPrivate, readPrivate, replacePrivate } from './private-file.ts'

/** Time between two attempts to write changes. */
const RETRY_MS = 1000
/** Minimum number of lines of a file that is rewritten when half of them are stale. */
const LINES_BEFORE_REWRITE = 1000

interface Content {
  rows: readonly DashboardRow[]
  damaged: number
}

interface Place {
  read(): Promise<Content | undefined>
  /** @param all returns all rows, for a place that is rewritten as a whole */
  write(changes: readonly DashboardRowChange[], all: () => DashboardRow[]): Promise<void>
}

export interface KeyedParts {
  dataDir: string
  sharedRows?: DashboardRows
  log: Pick<Log, 'warn' | 'error'>
}

export class KeyedStore<T> {
  /** True if the map existed, and all of it could be read. */
  readonly isWhole: boolean
  readonly #values: Map<string, T>
  readonly #place: Place
  readonly #changed = new Set<string>()
  #writing: Promise<void> = Promise.resolve()
  #isWaiting = false
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  private constructor(place: Place, values: Map<string, T>, isWhole: boolean) {
    this.#place = place
    this.#values = values
    this.isWhole = isWhole
  }

  /**
   * Opens the map `name`. A fleet takes over the file of its first dashboard. Rows that `schema` refuses are dropped and logged.
   * @throws Error if the file is not private, or the database does not answer
   */
  static async open<T>(
    { dataDir, sharedRows, log }: KeyedParts,
    name: string,
    schema: z.ZodType<T>,
  ): Promise<KeyedStore<T>> {
    const path = join(dataDir, `${name}.jsonl`)
    if (sharedRows !== undefined) await carryFile(sharedRows, name, path, log)
    const place = sharedRows === undefined ? new FilePlace(path) : rowsPlace(sharedRows, name)
    const content = await place.read()
    const values = new Map<string, T>()
    let damaged = content?.damaged ?? 0
    for (const [key, json] of content?.rows ?? []) {
      const { success, data } = schema.safeParse(jsonOf(json))
      if (success) values.set(key, data)
      else damaged++
    }
    if (damaged > 0) log.error({ name, lines: damaged }, 'damaged lines were dropped')
    const store = new KeyedStore<T>(place, values, content !== undefined && damaged === 0)
    // Rewrites a file without stale and damaged lines.
    await place.write([], () => store.#rows())
    return store
  }

  get size(): number {
    return this.#values.size
  }

  get(key: string): T | undefined {
    return this.#values.get(key)
  }

  keys(): IterableIterator<string> {
    return this.#values.keys()
  }

  entries(): IterableIterator<[string, T]> {
    return this.#values.entries()
  }

  /** Sets a value at once. Resolves when it is durable. @throws the error of the write; the value stays */
  set(key: string, value: T): Promise<void> {
    this.#values.set(key, value)
    return this.#write(key)
  }

  async delete(key: string): Promise<void> {
    if (this.#values.delete(key)) await this.#write(key)
  }

  untilWritten(): Promise<void> {
    return this.#writing.catch(() => {})
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    if (this.#changed.size > 0) this.#begin().catch(() => {})
    await this.untilWritten()
  }

  #write(key: string): Promise<void> {
    this.#changed.add(key)
    return this.#begin()
  }

  #begin(): Promise<void> {
    if (this.#isWaiting) return this.#writing
    this.#isWaiting = true
    this.#writing = this.untilWritten().then(() => this.#flush())
    return this.#writing
  }

  async #flush(): Promise<void> {
    this.#isWaiting = false
    const keys = [...this.#changed]
    this.#changed.clear()
    const changes = keys.map(key => [key, JSON.stringify(this.#values.get(key)) ?? null] as const)
    try {
      await this.#place.write(changes, () => this.#rows())
    } catch (error) {
      for (const key of keys) this.#changed.add(key)
      clearTimeout(this.#retry)
      if (!this.#isClosed) this.#retry = setTimeout(() => this.#begin().catch(() => {}), RETRY_MS).unref()
      throw error
    }
  }

  #rows(): DashboardRow[] {
    return Array.from(this.#values, ([key, value]) => [key, JSON.stringify(value)] as const)
  }
}

function rowsPlace(rows: DashboardRows, name: string): Place {
  return {
    read: async () => ({ rows: await rows.read(name), damaged: 0 }),
    write: changes => rows.write(name, changes),
  }
}

/** A private file with a line for each change: `[key, value]`, or `[key]` for a deletion. The last line of a key counts. */
class FilePlace implements Place {
  readonly #path: string
  #lines = 0
  /** True before the first write and after a failed one: the end of the file is unknown. */
  #isTorn = true

  constructor(path: string) {
    this.#path = path
  }

  read(): Promise<Content | undefined> {
    return readContent(this.#path)
  }

  async write(changes: readonly DashboardRowChange[], all: () => DashboardRow[]): Promise<void> {
    this.#lines += changes.length
    if (this.#isTorn || (this.#lines >= LINES_BEFORE_REWRITE && this.#lines >= 2 * all().length)) {
      const rows = all()
      await replacePrivate(this.#path, rows.map(lineOf).join(''))
      this.#lines = rows.length
      this.#isTorn = false
      return
    }
    this.#isTorn = true
    const file = await openPrivate(this.#path, constants.O_WRONLY | constants.O_APPEND)
    try {
      await file.appendFile(changes.map(lineOf).join(''))
      await file.datasync()
    } finally {
      await file.close()
    }
    this.#isTorn = false
  }
}

function lineOf([key, json]: DashboardRowChange): string {
  return json === null ? `[${JSON.stringify(key)}]\n` : `[${JSON.stringify(key)},${json}]\n`
}

/** Reads the file at `path`; undefined if it is missing. @throws Error if it is not private */
async function readContent(path: string): Promise<Content | undefined> {
  const text = await readPrivate(path)
  if (text === undefined) return undefined
  const rows = new Map<string, string>()
  let damaged = 0
  // The last piece is empty, or a line cut by a crash.
  for (const line of text.toString().split('\n').slice(0, -1)) {
    const entry = jsonOf(line)
    if (!Array.isArray(entry) || typeof entry[0] !== 'string') damaged++
    else if (entry.length === 1) rows.delete(entry[0])
    else rows.set(entry[0], JSON.stringify(entry[1]))
  }
  return { rows: [...rows], damaged }
}

/** Moves the file of a single node into the fleet's database, once for each name, and renames the file. */
async function carryFile(
  sharedRows: DashboardRows,
  name: string,
  path: string,
  log: KeyedParts['log'],
): Promise<void> {
  const content = await readContent(path)
  if (content === undefined) return
  const isTaken = await sharedRows.carry(name, content.rows)
  const aside = `${path}.${isTaken ? 'carried' : 'unused'}`
  await rename(path, aside)
  const message = isTaken
    ? "the rows of this file are now in the fleet's database"
    : "this file is not used: the fleet's database has newer rows"
  log.warn({ file: aside, rows: content.rows.length, damaged: content.damaged }, message)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
