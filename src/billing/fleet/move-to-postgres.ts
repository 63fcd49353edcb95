/**
 * Moves the ledger of one node to the database of a fleet: `postrie migrate ledger-to-postgres`. The book is written as the payloads of
 * a snapshot, which nodes load before the events, and as the rows that the database's functions need.
 */
import { createHash, randomUUID } from 'node:crypto'
import { monthOf } from '../../platform/time.ts'
import { Book } from '../ledger/book/book.ts'
import { balanceMicros, monthSpentMicros, queriesSum } from '../ledger/book/record.ts'
import { ledgerFolder } from '../ledger/disk/files.ts'
import type { RateLimits } from '../ledger/event.ts'
import { Ledger } from '../ledger/ledger.ts'
import { type MovedFile, movedSentence, readMoved, writeMoved } from '../ledger/moved.ts'
import { addPayload, digestOf, payloadsOf } from '../ledger/snapshot/snapshot-items.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import { connectionOptions, Database, type Run, shownAddress } from './database.ts'
import { MOVE_MS_MAX, MOVED_PER_CALL, NODE_LIVE_MS } from './fleet-bounds.ts'
import { prepareSchema } from './fleet-schema.ts'
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
  const records = book.slots
  const accounts = records.filter(record => record.type === 'account')
  const keys = records.filter(record => record.type === 'key')
  const limited = keys.filter(({ rules }) => rules?.limits != null)
  return [
    {
      name: 'accounts',
      rows: [
        ...accounts.map(({ slot, id, limits, creditedMicros, spentMicros }) => [
          ...[slot, id, false, creditedMicros, spentMicros],
          ...limitsOf(limits),
        ]),
        ...limited.map(({ slot, rules }) => [slot, null, true, 0, 0, ...limitsOf(rules?.limits ?? null)]),
      ].toSorted((a, b) => Number(a[0]) - Number(b[0])),
      insert: `insert into account (slot, id, is_key, credited, spent, is_limited, per_minute, per_hour, per_day)
        select (r->>0)::int, r->>1, (r->>2)::boolean, (r->>3)::bigint, (r->>4)::bigint, (r->>5)::boolean, (r->>6)::bigint,
          (r->>7)::bigint, (r->>8)::bigint from json_array_elements($1) as r`,
      select: `select json_build_array(slot, id, is_key, credited, spent, is_limited, per_minute, per_hour, per_day) as row
        from account order by slot`,
    },
    {
      name: 'keys',
      rows: keys.map(key => {
        const { slot, account, capMicros, lastUsedMs } = key
        return [slot, account.slot, capMicros, monthOf(lastUsedMs), monthSpentMicros(key, lastUsedMs)]
      }),
      insert: `insert into api_key (slot, account, cap, month, month_spent)
        select (r->>0)::int, (r->>1)::int, (r->>2)::bigint, (r->>3)::int, (r->>4)::bigint from json_array_elements($1) as r`,
      select:
        'select json_build_array(slot, account, cap, month, month_spent) as row from api_key order by slot',
    },
    {
      name: 'usage',
      rows: keys
        .filter(({ spentMicros }) => spentMicros > 0)
        .map(({ slot, queries }) => [slot, [...queries]]),
      insert: `insert into key_usage (key, queries, changed_by)
        select (r->>0)::int, array(select json_array_elements_text(r->1)::bigint), pg_current_xact_id() from json_array_elements($1) as r`,
      select: 'select json_build_array(key, queries) as row from key_usage order by key',
    },
  ]
}

function limitsOf(limits: RateLimits | null) {
  return limits === null ? [false, null, null, null] : [true, limits.perMinute, limits.perHour, limits.perDay]
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
