/**
 * Moves the ledger of one node to the database of a fleet: `postrie migrate ledger-to-postgres`. The book is
 * written twice: as a snapshot, which nodes load before the events, and as rows for the database's functions.
 */
import { createHash, randomUUID } from 'node:crypto'
import { HOUR_MS, MINUTE_MS, monthOf } from '../../platform/time.ts'
import { windowLimits } from '../accounts/live/counter.ts'
import { Book } from '../ledger/book/book.ts'
import {
  balanceMicros,
  type KeyRecord,
  limitsOf,
  monthSpentMicros,
  ownerOf,
  queriesSum,
} from '../ledger/book/record.ts'
import { ledgerFolder } from '../ledger/disk/files.ts'
import { type Ledger, openLedger } from '../ledger/ledger.ts'
import { type MigratedFile, migratedSentence, readMigrated, writeMigrated } from '../ledger/presence.ts'
import { addPayload, digestOf, payloadsOf } from '../ledger/snapshot/snapshot.ts'
import { countsOf } from './books.ts'
import { Connections, connectionOptions, type Run, shownAddress } from './connections.ts'
import { NODE_RUNNING_MS, readImage } from './fleet-database.ts'
import { prepareSchema } from './fleet-schema.ts'
import { BALANCE, FIRST_WINDOW, KEY_CAP } from './messages.ts'

const ROWS_PER_CALL = 2000
const MIGRATE_MS_MAX = 15 * MINUTE_MS

/**
 * Writes all accounts of the ledger in `dir` to the empty database at `url`. The two never count at once:
 *
 * 1. One transaction writes all rows with the id of the migration, and reads them back.
 * 2. The ledger is marked with that id before the commit. From now on, no server opens it.
 * 3. After the commit, the mark is set to done. An interrupted run is repeated: a database with the id of the
 *    mark has everything.
 */
export async function migrateToPostgres(dir: string, url: string) {
  const ledger = await openLedger({ dir, mayCreate: false, mayBeMigrated: true })
  const target = new Connections(connectionOptions(url))
  try {
    const found = await readMigrated(dir)
    if (found?.isDone) throw new Error(`${migratedSentence(dir, found)} Nothing was changed.`)
    const database = shownAddress(url)
    // An interrupted run may have committed to the first database.
    if (found !== null && found.database !== database)
      throw new Error(`${migratedSentence(dir, found)} ACCOUNTS names ${database}. Nothing was changed.`)
    const mark: MigratedFile = found ?? {
      move: randomUUID(),
      isDone: false,
      database,
      time: new Date().toISOString(),
    }
    await prepareSchema(target)
    const migrate = async (run: Run): Promise<{ fleet: string; isFinished: boolean }> => {
      const [head] = await run('select id, sequence, filled_by from fleet for update')
      const fleet = String(head.id)
      if (head.filled_by === mark.move) return { fleet, isFinished: true }
      await expectEmpty(run, head.sequence, database)
      await write(run, ledger, mark.move)
      await writeMigrated(dir, mark)
      return { fleet, isFinished: false }
    }
    const { fleet, isFinished } = await target.transaction(migrate, MIGRATE_MS_MAX)
    await writeMigrated(dir, { ...mark, isDone: true })
    const { book } = ledger
    let balance = 0
    let queries = 0
    for (const account of book.accounts.values()) balance += balanceMicros(account)
    for (const key of book.keys.values()) queries += queriesSum(key)
    return {
      folder: ledgerFolder(dir),
      database,
      fleet,
      // True if an earlier run had moved everything.
      isFinished,
      accounts: book.accounts.size,
      keys: book.keys.size,
      balanceMicros: balance,
      queries,
    }
  } finally {
    await target.close()
    await ledger.close()
  }
}

async function expectEmpty(run: Run, sequence: unknown, database: string): Promise<void> {
  if (sequence !== 0)
    throw new Error(
      `The fleet in ${database} is not empty: it has ${sequence} changes. Nothing was changed. ` +
        'Name another schema in ACCOUNTS, as `?schema=postrie_2`, or an empty database.',
    )
  // A silent node may still run. The new epoch stops it.
  const [running] = await run(
    'select id, address, (now_ms() - seen_ms) / 1000 as silent from node where now_ms() - seen_ms < $1',
    [NODE_RUNNING_MS],
  )
  if (running !== undefined)
    throw new Error(
      `Node ${running.id} (${running.address}) of the fleet in ${database} was last seen ${running.silent} s ago. ` +
        `Nothing was changed. Stop all nodes, and try again when they have been silent for ${NODE_RUNNING_MS / 1000} s.`,
    )
  await run('update node set epoch = epoch + 1')
}

async function write(run: Run, { book, log, timeline }: Ledger, move: string): Promise<void> {
  let place = 0
  for (const payload of payloadsOf(book))
    await run('insert into snapshot (place, payload) values ($1, $2)', [place++, payload])
  const [{ xid }] = await run('select pg_current_xact_id()::text as xid')
  const tables = tablesOf(book, xid)
  for (const { table, rows } of tables)
    for (let start = 0; start < rows.length; start += ROWS_PER_CALL)
      await run(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [
        JSON.stringify(rows.slice(start, start + ROWS_PER_CALL)),
      ])
  const fleet = [move, log.durableSequence, Math.floor(timeline.nowMs())]
  await run('update fleet set filled_by = $1, sequence = $2, snapshot_sequence = $2, time_ms = $3', fleet)
  const differences = [await snapshotDifference(run, book)]
  for (const { name, table, rows } of tables)
    differences.push(
      firstDifference(name, rows, await run(`select row_to_json(r) as row from ${table} r order by r`)),
    )
  const different = differences.find(difference => difference !== null)
  if (different !== undefined)
    throw new Error(
      `The database returned other rows than were written, and nothing was changed: ${different}. ` +
        'Run `postrie ledger verify`; if the ledger is sound, report this as a fault of postrie.',
    )
}

/** Returns the rows of three tables, with columns and rows in order. @param xid id of the transaction */
function tablesOf({ slots, keys }: Book, xid: unknown) {
  const counters = slots.flatMap(record => {
    const { slot: holder } = record
    const windows = windowLimits(limitsOf(record))
    return [
      record.type === 'key'
        ? capOf(record)
        : { kind: BALANCE, period: 0, most: record.creditedMicros, used: record.spentMicros },
      ...windows.map((most, window) => ({ kind: FIRST_WINDOW + window, period: 0, most, used: 0 })),
    ].map(counter => ({ holder, ...counter, leased: 0 }))
  })
  const holders = slots.map(record => ({
    slot: record.slot,
    account: ownerOf(record).slot,
    id: record.type === 'key' ? null : record.id,
    recall_until_ms: 0,
  }))
  const usage = [...keys.values()].flatMap(key =>
    countsOf(key).map(counts => ({ ...counts, hour: Math.floor(key.lastUsedMs / HOUR_MS), changed_by: xid })),
  )
  return [
    { name: 'accounts and keys', table: 'holder', rows: holders },
    { name: 'counters', table: 'counter', rows: counters },
    { name: 'usage', table: 'key_usage', rows: usage },
  ]
}

function capOf(key: KeyRecord) {
  const period = monthOf(key.lastUsedMs)
  return { kind: KEY_CAP, period, most: key.capMicros, used: monthSpentMicros(key, period) }
}

function firstDifference(name: string, written: object[], found: { row?: unknown }[]): string | null {
  const [before, after] = [written, found.map(({ row }) => Object(row))].map(rows =>
    rows.map(row => JSON.stringify(Object.values(row))),
  )
  const at = before.findIndex((row, place) => row !== after[place])
  if (at >= 0) return `${name}: ${before[at]} became ${after[at] ?? 'nothing'}`
  return after.length === before.length
    ? null
    : `${name}: ${before.length} rows written, ${after.length} read`
}

async function snapshotDifference(run: Run, book: Book): Promise<string | null> {
  const { snapshot } = await readImage(run)
  const digest = createHash('sha256')
  const copy = new Book()
  for await (const payload of snapshot) {
    digest.update(payload)
    addPayload(copy, payload)
  }
  const expected = digestOf(book)
  const isSame = digest.digest().equals(expected) && digestOf(copy).equals(expected)
  return isSame ? null : 'the snapshot has other bytes'
}
