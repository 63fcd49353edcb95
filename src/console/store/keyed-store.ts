/** A durable map, in a file that FORMAT.md describes, or in the database of a fleet. */
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { DashboardRow, DashboardRowChange } from '../../billing/fleet/messages.ts'
import type { DashboardRows } from '../../billing/fleet/open-fleet-accounts.ts'
import type { Log } from '../../platform/log.ts'
import { inTurn } from '../../platform/promises.ts'
import { damaged, openStoreFile } from './store-file.ts'

const RETRY_MS = 1000
/** Minimum number of lines of a file that is rewritten when half of them are stale. */
const LINES_BEFORE_REWRITE = 1000

const IF_LOST = {
  alerts: 'all accounts must then choose their alerts again, with new secrets of webhooks',
  'alerts-outbox': 'waiting alerts are then lost, and present conditions are reported again',
  buyers: 'receipts then name no company and no tax number',
  recharges: 'automatic recharges are then off for all accounts',
  sessions: 'everybody must then sign in again',
} as const

type StoreName = keyof typeof IF_LOST

/** Returns the warning about a file that was used and is missing. */
export function lostText(name: StoreName): string {
  return `this file is missing, but it was used before. Restore it from a copy. Otherwise ${IF_LOST[name]}`
}

export type KeyedParts = { dataDir: string; sharedRows?: DashboardRows; log: Pick<Log, 'warn' | 'error'> }

/** A line of the file: a key and its value, or only the key for a deletion. */
const CHANGE = z.union([z.tuple([z.string(), z.unknown()]), z.tuple([z.string()])])

export type KeyedStore<T> = Awaited<ReturnType<typeof openKeyedStore<T>>>

/** @throws Error if the file is not private or damaged, a row is malformed, or the database is away */
export async function openKeyedStore<T>(parts: KeyedParts, name: StoreName, schema: z.ZodType<T>) {
  const path = join(parts.dataDir, `${name}.jsonl`)
  const medium = await (parts.sharedRows === undefined
    ? fileMedium(path, name)
    : rowsMedium(parts.sharedRows, name, path, parts.log))
  const values = new Map<string, T>()
  for (const [key, json] of medium.rows) {
    const { success, data } = schema.safeParse(jsonOf(json))
    if (!success) throw damaged(medium.where, `a malformed value of ${JSON.stringify(key)}`, IF_LOST[name])
    values.set(key, data)
  }
  const changed = new Set<string>()
  const turn = inTurn()
  /** A write that has not begun; null if none waits. It takes all changes. */
  let waiting: Promise<void> | null = null
  let retry: NodeJS.Timeout | undefined
  let isClosed = false
  const allRows = (): DashboardRow[] => Array.from(values, ([key, value]) => [key, JSON.stringify(value)])
  const begin = (): Promise<void> => (waiting ??= turn(flush))
  /** Resolves after the writes so far, also if one fails. */
  const untilWritten = (): Promise<void> => turn(async () => {})

  async function flush(): Promise<void> {
    waiting = null
    const keys = [...changed]
    changed.clear()
    const changes = keys.map(key => [key, JSON.stringify(values.get(key)) ?? null] as const)
    try {
      await medium.write(changes, values.size, allRows)
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

  return {
    isNew: medium.isNew,
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

/** The rows of a fleet. Moves the file of a single node into the database, and renames the file. */
async function rowsMedium(shared: DashboardRows, name: StoreName, path: string, log: KeyedParts['log']) {
  const { rows, isNew } = await fileMedium(path, name)
  if (!isNew) {
    const isTaken = (await shared.read(name)).length === 0
    if (isTaken) await shared.write(name, rows)
    const aside = `${path}.${isTaken ? 'carried' : 'unused'}`
    await rename(path, aside)
    const message = isTaken
      ? "the rows of this file are now in the fleet's database"
      : "this file is not used: the fleet's database has newer rows"
    log.warn({ file: aside, rows: rows.length }, message)
  }
  return {
    where: `rows ${JSON.stringify(name)} of the table dashboard_row`,
    rows: await shared.read(name),
    isNew: false,
    write: (changes: readonly DashboardRowChange[]) => shared.write(name, changes),
  }
}

/** A file with a line for each change. The last line of a key counts. */
async function fileMedium(path: string, name: StoreName) {
  const { file, lines: content, isNew } = await openStoreFile(path, IF_LOST[name])
  const rows = new Map<string, string>()
  const changes = content.toString().split('\n').slice(0, -1)
  for (const line of changes) {
    const { success, data } = CHANGE.safeParse(jsonOf(line))
    if (!success)
      throw damaged(path, `the line ${line.slice(0, 40)}, which is no key with a value`, IF_LOST[name])
    const [key, ...value] = data
    if (value.length === 0) rows.delete(key)
    else rows.set(key, JSON.stringify(value[0]))
  }
  let lines = changes.length
  const rewrite = async (all: readonly DashboardRow[]): Promise<void> => {
    await file.replace(textOf(all))
    lines = all.length
  }
  if (lines > rows.size) await rewrite([...rows])
  return {
    where: path,
    rows: [...rows],
    isNew,
    /** @param all returns all `count` rows, to rewrite the file */
    async write(changes: readonly DashboardRowChange[], count: number, all: () => DashboardRow[]) {
      const present = lines + changes.length
      if (present >= LINES_BEFORE_REWRITE && present >= 2 * count) return rewrite(all())
      await file.append(textOf(changes))
      lines = present
    },
  }
}

function textOf(changes: readonly DashboardRowChange[]): Buffer {
  const lines = changes.map(([key, json]) => `[${JSON.stringify(key)}${json === null ? '' : `,${json}`}]\n`)
  return Buffer.from(lines.join(''))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
