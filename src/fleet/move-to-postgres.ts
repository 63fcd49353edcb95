/** `postrie migrate ledger-to-postgres`: from the ledger of one node to the database of a fleet. */
import { randomUUID } from 'node:crypto'
import { ledgerFolder } from '../ledger/disk/files.ts'
import { Ledger } from '../ledger/ledger.ts'
import { type MovedFile, movedSentence, readMoved, writeMoved } from '../ledger/moved.ts'
import { showLedger } from '../ledger/tools/show.ts'
import { QUERY_PRICE_MICROS } from '../limits.ts'
import { bookDifferences } from './book-differences.ts'
import { bookEvents } from './book-events.ts'
import { usageHours } from './book-usage.ts'
import { shownAddress } from './fleet-address.ts'
import { fleetDifferences } from './fleet-differences.ts'
import { MOVE_SILENT_MS, MOVED_KEYS_PER_CALL } from './limits.ts'
import { type MovableFleet, MoveConnection } from './move-connection.ts'
import { expectSame, MoveRefusedError, type MoveReport, totalsOf } from './move-report.ts'

/**
 * Writes all accounts of the ledger in `dir` to the empty database at `url`, in one transaction, reads them back, and marks the
 * ledger as moved. The mark is there before the commit, so at no moment do both sides count. A run that was cut short is finished
 * by the next one.
 * @throws LedgerError when the ledger is in use, missing or damaged; MoveRefusedError; UnavailableError, RefusedError
 */
export async function moveToPostgres(dir: string, url: string): Promise<MoveReport> {
  const ledger = await openMoved(dir)
  try {
    const found = await readMoved(dir)
    if (found !== null && (found.isDone || found.to === 'ledger'))
      throw new MoveRefusedError(`${sentence(movedSentence(dir, found))} Nothing was changed.`)
    const database = shownAddress(url)
    // The earlier run may have committed there.
    if (found !== null && found.database !== database)
      throw new MoveRefusedError(
        `${sentence(movedSentence(dir, found))} ACCOUNTS names ${database}. Nothing was changed.`,
      )
    const mark: MovedFile = found ?? {
      ...{ move: randomUUID(), to: 'postgres', isDone: false, database, time: new Date().toISOString() },
    }
    const connection = await MoveConnection.open(url, 'create')
    try {
      const fleet = await connection.begin()
      const isFinished = fleet.filledBy === mark.move
      if (!isFinished) {
        expectEmpty(fleet, database)
        await write(connection, ledger, dir)
        await connection.endMoveIn(mark.move)
        await writeMoved(dir, mark)
        await connection.commit()
      }
      await writeMoved(dir, { ...mark, isDone: true })
      const report = { folder: ledgerFolder(dir), database, fleet: fleet.fleet, isFinished }
      return { ...report, ...totalsOf(ledger.book), replaced: null }
    } finally {
      await connection.close()
    }
  } finally {
    await ledger.close()
  }
}

function openMoved(dir: string): Promise<Ledger> {
  return Ledger.open({
    dir,
    mayCreate: false,
    mayBeMoved: true,
    priceMicros: QUERY_PRICE_MICROS,
    // Only its first frame is written, and `open` waits for that.
    onFail() {},
  })
}

async function write(connection: MoveConnection, ledger: Ledger, dir: string): Promise<void> {
  const { book } = ledger
  await connection.writeEvents(bookEvents(book, await sourcesOf(dir)))
  await connection.writeUsage(book, usageHours(book, MOVED_KEYS_PER_CALL))
  const readBack = await connection.readBack()
  expectSame([
    ...bookDifferences(book, readBack.book, ledger.timeline.nowMs()),
    ...fleetDifferences(readBack, { months: true }),
  ])
}

/** Who gave the money of entries, by reference, as far back as the ledger has its segments. */
async function sourcesOf(dir: string): Promise<Map<string, string>> {
  const sources = new Map<string, string>()
  for await (const { kind, details } of showLedger(dir)) {
    const { reference, by } = details
    if ((kind === 'credit' || kind === 'adjust') && typeof by === 'string') sources.set(String(reference), by)
  }
  return sources
}

function expectEmpty(fleet: MovableFleet, database: string): void {
  const { sequence, accounts, nodes, movedBy, movedTo } = fleet
  const remedy = 'Name another schema in ACCOUNTS, as `?schema=postrie_2`, or an empty database.'
  if (movedBy !== null)
    throw new MoveRefusedError(
      `The fleet in ${database} was moved to ${movedTo}, and keeps its accounts as they were. Nothing was changed. ${remedy}`,
    )
  if (sequence > 0 || accounts > 0)
    throw new MoveRefusedError(
      `The fleet in ${database} is not empty: it has ${accounts} accounts and ${sequence} changes. Nothing was changed. ${remedy}`,
    )
  const [node] = nodes
  if (node !== undefined)
    throw new MoveRefusedError(
      `Node ${node.node} (${node.address}) of the fleet in ${database} was heard of ${Math.round(node.silentMs / 1000)} s ago. ` +
        `Nothing was changed. Stop all nodes, and try again when they have been silent for ${MOVE_SILENT_MS / 1000} s.`,
    )
}

function sentence(text: string): string {
  return text[0].toUpperCase() + text.slice(1)
}
