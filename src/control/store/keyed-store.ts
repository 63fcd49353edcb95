/**
 * A durable map, in a file of DATA_DIR or in the database of a fleet. Its values are in memory. Changes are written in batches.
 * alerts/FORMAT.md describes the file.
 */
import { constants } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import type { DashboardRows } from '../../fleet/dashboard-rows.ts'
import type { DashboardRow, DashboardRowChange } from '../../fleet/messages.ts'
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

interface Medium {
  read(): Promise<Content | undefined>
  /** @param all returns all rows, for a medium that is rewritten as a whole */
  write(changes: readonly DashboardRowChange[], all: () => DashboardRow[]): Promise<void>
}

export interface KeyedParts {
  dataDir: string
  sharedRows?: DashboardRows
  log: Pick<Log, 'warn' | 'error'>
}

export type KeyedStore<T> = Awaited<ReturnType<typeof openKeyedStore<T>>>

/**
 * Opens the map `name`. A fleet takes over the file of its first dashboard. Rows that `schema` refuses are dropped and logged.
 * @throws Error if the file is not private, or the database does not answer
 */
export async function openKeyedStore<T>(
  { dataDir, sharedRows, log }: KeyedParts,
  name: string,
  schema: z.ZodType<T>,
) {
  const path = join(dataDir, `${name}.jsonl`)
  if (sharedRows !== undefined) await carryFile(sharedRows, name, path, log)
  const medium = sharedRows === undefined ? fileMedium(path) : rowsMedium(sharedRows, name)
  const content = await medium.read()
  const values = new Map<string, T>()
  let damaged = content?.damaged ?? 0
  for (const [key, json] of content?.rows ?? []) {
    const { success, data } = schema.safeParse(jsonOf(json))
    if (success) values.set(key, data)
    else damaged++
  }
  if (damaged > 0) log.error({ name, lines: damaged }, 'damaged lines were dropped')
  const changed = new Set<string>()
  let writing: Promise<void> = Promise.resolve()
  let isWaiting = false
  let retry: NodeJS.Timeout | undefined
  let isClosed = false
  const allRows = (): DashboardRow[] =>
    Array.from(values, ([key, value]) => [key, JSON.stringify(value)] as const)
  const untilWritten = (): Promise<void> => writing.catch(() => {})

  function begin(): Promise<void> {
    if (isWaiting) return writing
    isWaiting = true
    writing = untilWritten().then(flush)
    return writing
  }

  async function flush(): Promise<void> {
    isWaiting = false
    const keys = [...changed]
    changed.clear()
    const changes = keys.map(key => [key, JSON.stringify(values.get(key)) ?? null] as const)
    try {
      await medium.write(changes, allRows)
    } catch (error) {
      for (const key of keys) changed.add(key)
      clearTimeout(retry)
      if (!isClosed) retry = setTimeout(() => begin().catch(() => {}), RETRY_MS).unref()
      throw error
    }
  }

  function write(key: string): Promise<void> {
    changed.add(key)
    return begin()
  }

  // Rewrites a file without stale and damaged lines.
  await medium.write([], allRows)
  return {
    /** True if the map existed, and all of it could be read. */
    isWhole: content !== undefined && damaged === 0,
    get: (key: string): T | undefined => values.get(key),
    keys: () => values.keys(),
    entries: () => values.entries(),
    /** Sets a value at once. Resolves when it is durable. @throws the error of the write; the value stays */
    set(key: string, value: T): Promise<void> {
      values.set(key, value)
      return write(key)
    },
    async delete(key: string): Promise<void> {
      if (values.delete(key)) await write(key)
    },
    untilWritten,
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(retry)
      if (changed.size > 0) begin().catch(() => {})
      await untilWritten()
    },
  }
}

function rowsMedium(rows: DashboardRows, name: string): Medium {
  return {
    read: async () => ({ rows: await rows.read(name), damaged: 0 }),
    write: changes => rows.write(name, changes),
  }
}

/** A private file with a line for each change: `[key, value]`, or `[key]` for a deletion. The last line of a key counts. */
function fileMedium(path: string): Medium {
  let lines = 0
  /** True before the first write and after a failed one: the end of the file is unknown. */
  let isTorn = true
  return {
    read: () => readContent(path),
    async write(changes, all) {
      lines += changes.length
      if (isTorn || (lines >= LINES_BEFORE_REWRITE && lines >= 2 * all().length)) {
        const rows = all()
        await replacePrivate(path, rows.map(lineOf).join(''))
        lines = rows.length
        isTorn = false
        return
      }
      isTorn = true
      const file = await openPrivate(path, constants.O_WRONLY | constants.O_APPEND)
      try {
        await file.appendFile(changes.map(lineOf).join(''))
        await file.datasync()
      } finally {
        await file.close()
      }
      isTorn = false
    },
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
