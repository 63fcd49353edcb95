/**
 * Moves the ledger of one node to the database of a fleet: `postrie migrate ledger-to-postgres`. The book is written as the payloads of
 * a snapshot, which nodes load before the events, and as the rows that the database's functions need.
 */
import { createHash, randomUUID } from 'node:crypto'
import { HOUR_MS, monthOf } from '../../platform/time.ts'
import { windowLimits } from '../accounts/live/counter.ts'
import { Book } from '../ledger/book/book.ts'
import { balanceMicros, monthSpentMicros, queriesSum } from '../ledger/book/record.ts'
import { ledgerFolder } from '../ledger/disk/files.ts'
import { Ledger } from '../ledger/ledger.ts'
import { type MovedFile, movedSentence, readMoved, writeMoved } from '../ledger/moved.ts'
import { addPayload, digestOf, payloadsOf } from '../ledger/snapshot/snapshot-items.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import { connectionOptions, Database, type Run, shownAddress } from './database.ts'
import { MOVE_MS_MAX, MOVED_PER_CALL, NODE_LIVE_MS } from './fleet-bounds.ts'
import { prepareSchema } from './fleet-schema.ts'
import { countsOf } from './journal.ts'
import { BALANCE, CAP, FIRST_WINDOW } from './messages.ts'
import { readImage } from './postgres-store.ts'

/** Thrown when a move is refused. Neither side has changed. */
class MoveRefusedError extends Error {}

/**
 * Writes all accounts of the ledger in `dir` to the empty database at `url`, in one transaction, and reads them back. The ledger is marked
 * as moved before the commit, so the two never count at once. The next run finishes one that was interrupted.
 */
export async function moveToPostgres(dir: string, url: string) {
  const ledger = await Ledger.open({
    dir,
    mayCreate: false,
    mayBeMoved: true,
    priceMicros: QUERY_PRICE_MICROS,
    // Only the first frame is written, and `open` waits for it.
    onFail() {},
  })
  const target = new Database(connectionOptions(url))
  try {
    const found = await readMoved(dir)
    if (found?.isDone)
      throw new MoveRefusedError(`${sentence(movedSentence(dir, found))} Nothing was changed.`)
    const database = shownAddress(url)
    // An interrupted run may have committed to the first database.
    if (found !== null && found.database !== database)
      throw new MoveRefusedError(
        `${sentence(movedSentence(dir, found))} ACCOUNTS names ${database}. Nothing was changed.`,
      )
    const mark: MovedFile = found ?? {
      move: randomUUID(),
      isDone: false,
      database,
      time: new Date().toISOString(),
    }
    await prepareSchema(target, 'create')
    const move = async (run: Run): Promise<{ fleet: string; isFinished: boolean }> => {
      const [head] = await run('select id, sequence, filled_by from fleet for update')
      const fleet = String(head.id)
      if (head.filled_by === mark.move) return { fleet, isFinished: true }
      await expectEmpty(run, Number(head.sequence), database)
      await write(run, ledger, mark.move)
      await writeMoved(dir, mark)
      return { fleet, isFinished: false }
    }
    const { fleet, isFinished } = await target.transaction(move, MOVE_MS_MAX)
    await writeMoved(dir, { ...mark, isDone: true })
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

async function expectEmpty(run: Run, sequence: number, database: string): Promise<void> {
  if (sequence > 0)
    throw new MoveRefusedError(
      `The fleet in ${database} is not empty: it has ${sequence} changes. Nothing was changed. ` +
        'Name another schema in ACCOUNTS, as `?schema=postrie_2`, or an empty database.',
    )
  // A silent node may still run. The new epoch stops it.
  const [live] = await run(
    'select id, address, (now_ms() - seen_ms) / 1000 as silent from node where now_ms() - seen_ms < $1',
    [NODE_LIVE_MS],
  )
  if (live !== undefined)
    throw new MoveRefusedError(
      `Node ${live.id} (${live.address}) of the fleet in ${database} was last seen ${live.silent} s ago. ` +
        `Nothing was changed. Stop all nodes, and try again when they have been silent for ${NODE_LIVE_MS / 1000} s.`,
    )
  await run('update node set epoch = epoch + 1')
}

async function write(run: Run, { book, log, timeline }: Ledger, move: string): Promise<void> {
  let place = 0
  for (const payload of payloadsOf(book))
    await run('insert into snapshot (place, payload) values ($1, $2)', [place++, payload])
  const tables = tablesOf(book)
  for (const { insert, rows } of tables)
    for (let start = 0; start < rows.length; start += MOVED_PER_CALL)
      await run(insert, [JSON.stringify(rows.slice(start, start + MOVED_PER_CALL))])
  const fleet = [move, log.durableSequence, Math.floor(timeline.nowMs())]
  await run('update fleet set filled_by = $1, sequence = $2, snapshot_sequence = $2, time_ms = $3', fleet)
  const differences = [await snapshotDifference(run, book)]
  for (const { name, rows, select } of tables)
    differences.push(firstDifference(name, rows, await run(select)))
  const different = differences.find(difference => difference !== null)
  if (different !== undefined)
    throw new MoveRefusedError(
      `The database returned other rows than were written, and nothing was changed: ${different}. ` +
        'Run `postrie ledger verify`; if the ledger is sound, report this as a fault of postrie.',
    )
}

interface Table {
  name: string
  rows: unknown[][]
  insert: string
  select: string
}

function tablesOf(book: Book): Table[] {
  const accounts = book.slots.filter(record => record.type === 'account')
  const keys = book.slots.filter(record => record.type === 'key')
  const windows = book.slots.flatMap(record => {
    const limits = record.type === 'key' ? (record.rules?.limits ?? null) : record.limits
    return limits === null
      ? []
      : windowLimits(limits).map((most, window) => [record.slot, FIRST_WINDOW + window, 0, most, 0])
  })
  return [
    {
      name: 'accounts and keys',
      rows: book.slots.map(record =>
        record.type === 'key'
          ? [record.slot, record.account.slot, null]
          : [record.slot, record.slot, record.id],
      ),
      insert: `insert into holder (slot, account, id) select (r->>0)::int, (r->>1)::int, r->>2 from json_array_elements($1) as r`,
      select: 'select json_build_array(slot, account, id) as row from holder order by slot',
    },
    {
      name: 'counters',
      rows: [
        ...accounts.map(({ slot, creditedMicros, spentMicros }) => [
          slot,
          BALANCE,
          0,
          creditedMicros,
          spentMicros,
        ]),
        ...keys.map(key => {
          const { slot, capMicros, lastUsedMs } = key
          return [slot, CAP, monthOf(lastUsedMs), capMicros, monthSpentMicros(key, lastUsedMs)]
        }),
        ...windows,
      ].toSorted((a, b) => Number(a[0]) - Number(b[0]) || Number(a[1]) - Number(b[1])),
      insert: `insert into counter (holder, kind, period, most, used)
        select (r->>0)::int, (r->>1)::int, (r->>2)::bigint, (r->>3)::bigint, (r->>4)::bigint from json_array_elements($1) as r`,
      select:
        'select json_build_array(holder, kind, period, most, used) as row from counter order by holder, kind',
    },
    {
      name: 'usage',
      rows: keys.flatMap(key =>
        countsOf(key).map(({ usage, queries }) => [
          key.slot,
          usage,
          queries,
          Math.floor(key.lastUsedMs / HOUR_MS),
        ]),
      ),
      insert: `insert into key_usage (key, usage, queries, hour, changed_by)
        select (r->>0)::int, (r->>1)::int, (r->>2)::bigint, (r->>3)::bigint, pg_current_xact_id() from json_array_elements($1) as r`,
      select: 'select json_build_array(key, usage, queries, hour) as row from key_usage order by key, usage',
    },
  ]
}

function firstDifference(name: string, written: unknown[][], found: { row?: unknown }[]): string | null {
  const before = written.map(row => JSON.stringify(row))
  const after = found.map(({ row }) => JSON.stringify(row))
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

function sentence(text: string): string {
  return text[0].toUpperCase() + text.slice(1)
}
