/** Everything that a starting node loads, streamed out of one read-only transaction. */
import { type ConnectionOptions, DatabaseConnection } from './database-connection.ts'
import { storeError } from './database-errors.ts'
import { positionFrom } from './postgres-changes.ts'
import { committedOf, keyHourOf } from './postgres-shapes.ts'
import type { FleetImage } from './store.ts'

/** Rows that are fetched at a time. */
const ROWS_PER_FETCH = 2000

const EVENTS = 'select json_build_array(sequence, time_ms, events) as row from event order by sequence'
const HOURS = 'select json_build_array(hour, key, queries) as row from key_hour order by hour, key'

/** Opens a connection of its own, which `close` ends. @throws UnavailableError, also while it is read */
export async function readImage(options: ConnectionOptions): Promise<FleetImage> {
  let connection: DatabaseConnection | undefined
  try {
    connection = await DatabaseConnection.open(options)
    const opened = connection
    await opened.script('begin isolation level repeatable read, read only', options.queryMs)
    return { ...(await imageIn(opened, options.queryMs)), close: () => opened.close() }
  } catch (error) {
    connection?.destroy()
    throw storeError(error)
  }
}

/** The same in a transaction that is open already, with what it has changed itself; `close` only ends the reading. */
export async function imageIn(connection: DatabaseConnection, queryMs: number): Promise<FleetImage> {
  const run = (text: string) => connection.query(text, [], queryMs)
  const [head] = await run(
    'select id, sequence, pg_snapshot_xmin(pg_current_snapshot())::text as floor from fleet',
  )
  await run(`declare events no scroll cursor for ${EVENTS}`)
  await run(`declare hours no scroll cursor for ${HOURS}`)
  return {
    fleet: String(head?.id),
    sequence: Number(head?.sequence),
    position: positionFrom(String(head?.floor)),
    committed: rows(run, 'events', committedOf),
    hours: rows(run, 'hours', keyHourOf),
    async close() {
      await run('close events')
      await run('close hours')
    },
  }
}

async function* rows<T>(
  run: (text: string) => Promise<Record<string, unknown>[]>,
  cursor: string,
  parse: (row: unknown) => T,
): AsyncIterable<T> {
  try {
    for (;;) {
      const fetched = await run(`fetch ${ROWS_PER_FETCH} from ${cursor}`)
      for (const { row } of fetched) yield parse(row)
      if (fetched.length < ROWS_PER_FETCH) return
    }
  } catch (error) {
    throw storeError(error)
  }
}
