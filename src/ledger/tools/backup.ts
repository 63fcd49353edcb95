/** Backups: a folder with a ledger that is proved after it was written, and before it is put in place again. */
import { mkdir, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LEDGER_FOLDER, LOCK_NAME, ledgerFolder, syncFolder } from '../disk/files.ts'
import { lockLedger, unusable } from '../disk/lock.ts'
import { nodeFileSystem as fs } from '../disk/node-file-system.ts'
import { LedgerError } from '../errors.ts'
import { restoreNames, strayRestores } from '../presence.ts'
import { type CopyReport, copyLedger } from './copy.ts'
import { expectManifest, MANIFEST_NAME, writeManifest } from './manifest.ts'
import { type VerifyReport, verifyLedger } from './verify.ts'

/** What a backup is called before it is proved, so that nothing takes it for a data folder. */
const UNFINISHED = 'unfinished'

export interface BackupReport extends CopyReport {
  /** Where the backup is: a folder that `ledger verify` and `restore` accept as it is. */
  folder: string
  /** The last entry in it. */
  sequence: number
  accounts: number
  keys: number
  balanceMicros: number
}

export interface RestoreReport extends BackupReport {
  /** Where the ledger is that was there before, or null when there was none. */
  replaced: string | null
}

/**
 * Copies the ledger of `dir` into the folder `target`, which must be missing or empty, and proves the copy. The service
 * may be running: entries up to `sequence`, which is durable, are in the backup, later ones may be. The manifest comes
 * last, so that a backup that was cut short is never taken for a whole one.
 * @throws LedgerError REFUSED, UNUSABLE or DAMAGED; `target` holds no ledger then
 */
export async function backupLedger(dir: string, target: string, sequence: number): Promise<BackupReport> {
  await expectEmpty(target, 'Name another folder.')
  return readable(target, async () => {
    const unfinished = join(target, UNFINISHED)
    await fs.makeFolder(unfinished)
    try {
      await fs.makeFolder(ledgerFolder(unfinished))
      const copied = await copyLedger(fs, ledgerFolder(dir), ledgerFolder(unfinished))
      const proved = await verifyLedger(unfinished)
      const problem = flawOf(proved, sequence)
      if (problem !== null) {
        throw new LedgerError('DAMAGED', `The ledger was copied, and the copy was removed again: ${problem}`)
      }
      await rename(ledgerFolder(unfinished), ledgerFolder(target))
      await rmdir(unfinished)
      await writeManifest(fs, target, proved)
      await syncFolder(fs, dirname(target))
      return { ...copied, folder: target, ...totals(proved) }
    } catch (error) {
      for (const name of [UNFINISHED, LEDGER_FOLDER, MANIFEST_NAME]) {
        await rm(join(target, name), { recursive: true, force: true })
      }
      throw error
    }
  })
}

/**
 * Proves a backup, copies it into `dir`, proves the copy and puts it in place. A ledger that is there is refused, or with
 * `replace` moved aside; it is never deleted. @throws LedgerError REFUSED, LOCKED, UNUSABLE or DAMAGED
 */
export async function restoreLedger(
  backup: string,
  dir: string,
  { replace = false, nowMs = Date.now() }: { replace?: boolean; nowMs?: number } = {},
): Promise<RestoreReport> {
  const source = await verifyLedger(backup)
  const problem = flawOf(source, 1)
  if (problem !== null) throw new LedgerError('DAMAGED', `${backup} cannot be restored: ${problem}`)
  await expectManifest(fs, backup, source)
  return readable(dir, async () => {
    const folder = ledgerFolder(dir)
    await fs.makeFolder(folder)
    const lock = lockLedger(fs, folder)
    try {
      const hasLedger = await holdsLedger(folder)
      if (hasLedger && !replace) throw notEmpty(folder, 'Add --replace to move it aside.')
      if (hasLedger) await removeStrays(dir)
      const names = restoreNames(nowMs)
      const staged = join(dir, names.proved)
      const copied = await stage(backup, join(dir, names.unproved), staged, source.lastSequence)
      const replaced = hasLedger ? join(dir, names.replaced) : null
      await putInPlace(dir, staged, replaced)
      return { ...copied, folder: dir, replaced, ...totals(source) }
    } finally {
      lock.release()
    }
  })
}

/** Copies a backup into the folder `staging`, proves the copy and renames it to `staged`. A failure leaves neither behind. */
async function stage(backup: string, staging: string, staged: string, sequence: number): Promise<CopyReport> {
  try {
    await fs.makeFolder(ledgerFolder(staging))
    const copied = await copyLedger(fs, ledgerFolder(backup), ledgerFolder(staging))
    const flaw = flawOf(await verifyLedger(staging), sequence)
    if (flaw !== null)
      throw new LedgerError('DAMAGED', `the copy of ${backup} is not what it copies: ${flaw}`)
    await rename(staging, staged)
    await syncFolder(fs, dirname(staged))
    return copied
  } catch (error) {
    for (const path of [staging, staged]) await rm(path, { recursive: true, force: true })
    throw error
  }
}

/**
 * Swaps the ledger of `dir` for the proved copy in `staged`. Each rename is durable before the next, and between the two
 * `expectNotLost` refuses the folder: a process that dies there leaves both ledgers, and whoever comes next hears how to
 * go on. An error puts the old ledger back.
 */
async function putInPlace(dir: string, staged: string, replaced: string | null): Promise<void> {
  const folder = ledgerFolder(dir)
  if (replaced !== null) await rename(folder, replaced)
  else {
    await unlink(join(folder, LOCK_NAME))
    await rmdir(folder)
  }
  try {
    await syncFolder(fs, dir)
    await rename(ledgerFolder(staged), folder)
  } catch (error) {
    if (replaced !== null) {
      await rename(replaced, folder)
      await rm(staged, { recursive: true, force: true })
    }
    throw error
  }
  await rmdir(staged)
  await syncFolder(fs, dir)
}

/** Removes copies of restores that never ended. Only for a folder whose ledger is in place, under its lock. */
async function removeStrays(dir: string): Promise<void> {
  for (const name of strayRestores(await readdir(dir))) await rm(join(dir, name), { recursive: true })
}

/** Why a proof is not good enough, or null. */
function flawOf({ status, problems, segments, lastSequence }: VerifyReport, sequence: number): string | null {
  if (status === 'damaged') return problems.join('; ')
  if (segments === 0) return `found no ledger, expected a folder that 'postrie backup' has written`
  if (status === 'torn') return 'its last entry is torn: make the backup again'
  if (lastSequence >= sequence) return null
  return `it ends with entry ${lastSequence}, expected at least ${sequence}: make it again`
}

function totals({ lastSequence, accounts, keys, balanceMicros }: VerifyReport) {
  return { sequence: lastSequence, accounts, keys, balanceMicros }
}

async function holdsLedger(folder: string): Promise<boolean> {
  return (await fs.list(folder)).some(name => name !== LOCK_NAME)
}

async function expectEmpty(target: string, remedy: string): Promise<void> {
  await mkdir(target, { recursive: true, mode: 0o700 })
  if ((await readdir(target)).length > 0) throw notEmpty(target, remedy)
}

function notEmpty(folder: string, remedy: string): LedgerError {
  return new LedgerError('REFUSED', `${folder} is not empty, and nothing was changed. ${remedy}`)
}

/** Errors of the system as sentences that name the folder and a remedy. */
async function readable<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw unusable(folder, error)
  }
}
