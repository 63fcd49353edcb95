/** `postrie migrate postgres-to-ledger`: from the database of a fleet to the ledger of one node. */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { LEDGER_FOLDER, LOCK_NAME, ledgerFolder, syncFolder } from '../ledger/disk/files.ts'
import { lockLedger, unusable } from '../ledger/disk/lock.ts'
import { nodeFileSystem } from '../ledger/disk/node-file-system.ts'
import { movedSentence, readMoved, removeMoved, writeMoved } from '../ledger/moved.ts'
import { hasLedger, moveNames, strayMoves } from '../ledger/presence.ts'
import { shownAddress } from './fleet-address.ts'
import { fleetDifferences } from './fleet-differences.ts'
import { MOVE_SILENT_MS } from './limits.ts'
import { type MovableFleet, MoveConnection } from './move-connection.ts'
import { expectSame, MoveRefusedError, type MoveReport, totalsOf } from './move-report.ts'
import { RefusedError } from './store.ts'
import { writeLedger } from './write-ledger.ts'

const fs = nodeFileSystem

/**
 * Makes a new ledger in `dir` of all that the fleet at `url` has, reads it back, puts it in place with a mark that it does not
 * count yet, marks the fleet as moved, and removes the first mark. The fleet is locked from the beginning, and a run that was cut
 * short is finished or repeated by the next one. A ledger that was moved before is renamed, and never deleted.
 * @throws LedgerError when the ledger in `dir` is in use; MoveRefusedError; UnavailableError, RefusedError
 */
export async function moveToLedger(dir: string, url: string): Promise<MoveReport> {
  const folder = ledgerFolder(dir)
  const database = shownAddress(url)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const connection = await MoveConnection.open(url, 'none').catch(error => refuse(dir, error))
  try {
    const fleet = await connection.begin()
    const found = await readMoved(dir)
    const common = { folder, database, fleet: fleet.fleet }
    if (found?.to === 'ledger' && found.move === fleet.movedBy) {
      const { book } = await connection.readBack()
      await removeMoved(dir)
      return { ...common, isFinished: true, ...totalsOf(book), replaced: null }
    }
    const isLedger = await hasLedger(fs, dir)
    if (isLedger && found === null)
      throw new MoveRefusedError(
        `${dir} has a ledger that was not moved. Nothing was changed. Set DATA_DIR to another folder, or move its accounts first.`,
      )
    // What an earlier run has begun elsewhere may have been committed there.
    const isElsewhere = found?.to === 'ledger' ? found.database !== database : found?.move !== fleet.filledBy
    if (found !== null && !found.isDone && isElsewhere)
      throw new MoveRefusedError(`${movedSentence(dir, found)} Nothing was changed.`)
    expectMovable(fleet, database)
    const readBack = await connection.readBack()
    expectSame(fleetDifferences(readBack, { months: false }))

    const names = moveNames(Date.now())
    const move = randomUUID()
    const staged = join(dir, names.staged)
    const replaced = isLedger ? join(dir, names.replaced) : null
    await replacing(dir, replaced, async () => {
      for (const stray of strayMoves(await fs.list(dir))) await rm(join(dir, stray), { recursive: true })
      const mark = { move, to: 'ledger', isDone: false, database, time: new Date().toISOString() } as const
      try {
        await writeLedger(staged, readBack)
        await writeMoved(staged, mark)
      } catch (error) {
        await rm(staged, { recursive: true, force: true })
        throw error
      }
      return staged
    })
    await connection.endMoveOut(move, dir)
    await connection.commit()
    await removeMoved(dir)
    return { ...common, isFinished: false, ...totalsOf(readBack.book), replaced }
  } finally {
    await connection.close()
  }
}

/** For a database without a fleet: a move that was cut short says more. */
async function refuse(dir: string, error: unknown): Promise<never> {
  const found = await readMoved(dir)
  if (found === null || found.isDone || !(error instanceof RefusedError)) throw error
  throw new MoveRefusedError(`${movedSentence(dir, found)} ${error.message} Nothing was changed.`, {
    cause: error,
  })
}

/** Puts the ledger that `make` has made in its folder into place, under the lock of the one that is there, which becomes `replaced`. */
async function replacing(dir: string, replaced: string | null, make: () => Promise<string>): Promise<void> {
  const folder = ledgerFolder(dir)
  try {
    await fs.makeFolder(folder)
    const lock = lockLedger(fs, folder)
    try {
      const staged = await make()
      if (replaced !== null) await rename(folder, replaced)
      else {
        await rm(join(folder, LOCK_NAME))
        await rmdir(folder)
      }
      await syncFolder(fs, dir)
      await rename(join(staged, LEDGER_FOLDER), folder)
      await syncFolder(fs, dir)
      await rmdir(staged)
    } finally {
      lock.release()
    }
  } catch (error) {
    throw error instanceof MoveRefusedError ? error : unusable(dir, error)
  }
}

function expectMovable(fleet: MovableFleet, database: string): void {
  const { sequence, nodes, movedBy, movedTo, movedMs } = fleet
  if (movedBy !== null)
    throw new MoveRefusedError(
      `The fleet in ${database} was moved to ${movedTo} at ${new Date(Number(movedMs)).toISOString()}. Nothing was changed. ` +
        'Start one node there, without ACCOUNTS.',
    )
  if (sequence === 0)
    throw new MoveRefusedError(`The fleet in ${database} has no accounts. Nothing was changed. Set ACCOUNTS.`)
  if (nodes.length === 0) return
  const named = nodes.map(({ node, address, silentMs, heldMicros }) => {
    const held = heldMicros > 0 ? `, holds $${heldMicros / 1_000_000}` : ''
    return `${node} (${address}) was heard of ${Math.round(silentMs / 1000)} s ago${held}`
  })
  throw new MoveRefusedError(
    `Nodes of the fleet in ${database} may still charge: ${named.join('; ')}. Nothing was changed. Stop all of them, and try again ` +
      `when they have been silent for ${MOVE_SILENT_MS / 1000} s. One that was killed holds credit: start and stop it, or run ` +
      '`postrie node recover`, or `postrie fleet write-off`.',
  )
}
