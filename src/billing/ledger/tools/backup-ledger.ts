/** Makes and restores backups. Each copy of a ledger is proved. */
import { readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expectSpace } from '../../../platform/disk-space.ts'
import { makeFolder } from '../../../platform/private-folder.ts'
import { LEDGER_FOLDER, LOCK_NAME, ledgerFolder } from '../disk/files.ts'
import { nodeFileSystem as fs } from '../disk/node-file-system.ts'
import { LedgerError, unusable } from '../ledger-error.ts'
import { RESTORE_COPY, restoreNames } from '../presence.ts'
import { ledgerBytes, reservedBytes } from '../reserved-space.ts'
import { copyLedger, expectManifest, MANIFEST_NAME, writeManifest } from './copy.ts'
import { type VerifyReport, verifyLedger } from './verify-ledger.ts'

/** Folder of an unproved backup, so that nothing takes it for a data folder. */
const UNFINISHED = 'unfinished'

export type BackupReport = ReturnType<typeof reportOf>

/**
 * Copies the ledger of `dir`, which may be in use, into `target`, a missing or empty folder, and proves the copy up to `sequence`. The
 * manifest comes last: without it, the folder is no backup.
 */
export async function backupLedger(dir: string, target: string, sequence: number) {
  await makeFolder(target)
  if ((await readdir(target)).length > 0) throw notEmpty(target, 'Name another folder.')
  const bytes = await ledgerBytes(ledgerFolder(dir))
  await expectSpace('The backup', target, bytes, await reservedBytes(dir, target))
  try {
    const unfinished = join(target, UNFINISHED)
    const { copied, proof } = await copyAndProve(dir, unfinished, sequence)
    await rename(ledgerFolder(unfinished), ledgerFolder(target))
    await rmdir(unfinished)
    await writeManifest(fs, target, proof)
    await fs.syncFolder(dirname(target))
    return reportOf(target, copied, proof)
  } catch (error) {
    for (const name of [UNFINISHED, LEDGER_FOLDER, MANIFEST_NAME])
      await rm(join(target, name), { recursive: true, force: true })
    throw unusable(target, error)
  }
}

/**
 * Proves a backup, copies it, proves the copy and puts it in place. An existing ledger is refused, or moved aside with `replace`.
 * Each rename is durable before the next. A process that dies between them leaves both ledgers, and `expectNotLost` names the remedy.
 */
export async function restoreLedger(
  backup: string,
  dir: string,
  { replace = false, nowMs = Date.now() }: { replace?: boolean; nowMs?: number } = {},
) {
  const source = await verifyLedger(backup)
  const problem = flawOf(source, 1)
  if (problem !== null) throw new LedgerError('DAMAGED', `${backup} cannot be restored: ${problem}`)
  await expectManifest(fs, backup, source)
  const folder = ledgerFolder(dir)
  const names = restoreNames(nowMs)
  const copy = join(dir, names.copy)
  const replaced = join(dir, names.replaced)
  let isMoved = false
  const lock = await fs.makeFolder(folder).then(
    () => fs.lock(folder),
    error => {
      throw unusable(dir, error)
    },
  )
  try {
    const hasLedger = (await fs.list(folder)).some(name => name !== LOCK_NAME)
    if (hasLedger && !replace) throw notEmpty(folder, 'Add --replace to move it aside.')
    if (hasLedger) await removeCopies(dir)
    const { copied } = await copyAndProve(backup, copy, source.lastSequence)
    await fs.syncFolder(dir)
    if (hasLedger) await rename(folder, replaced)
    else await rm(folder, { recursive: true })
    isMoved = hasLedger
    await fs.syncFolder(dir)
    await rename(ledgerFolder(copy), folder)
    await rmdir(copy)
    await fs.syncFolder(dir)
    return { ...reportOf(dir, copied, source), replaced: hasLedger ? replaced : null }
  } catch (error) {
    if (isMoved && !(await fs.list(dir)).includes(LEDGER_FOLDER)) await rename(replaced, folder)
    await rm(copy, { recursive: true, force: true })
    throw unusable(dir, error)
  } finally {
    lock.release()
  }
}

async function copyAndProve(from: string, to: string, sequence: number) {
  await fs.makeFolder(to)
  await fs.makeFolder(ledgerFolder(to))
  const copied = await copyLedger(fs, ledgerFolder(from), ledgerFolder(to))
  const proof = await verifyLedger(to)
  const flaw = flawOf(proof, sequence)
  if (flaw === null) return { copied, proof }
  throw new LedgerError('DAMAGED', `${from} was copied, and the copy was removed again: ${flaw}`)
}

/** Removes copies of unfinished restores. The ledger must be in place and locked. */
async function removeCopies(dir: string): Promise<void> {
  for (const name of await readdir(dir))
    if (RESTORE_COPY.test(name)) await rm(join(dir, name), { recursive: true })
}

function flawOf({ status, problems, segments, lastSequence }: VerifyReport, sequence: number): string | null {
  if (status === 'damaged') return problems.join('; ')
  if (segments === 0) return `found no ledger, expected a folder that 'postrie backup' has written`
  if (status === 'torn') return 'its last entry is torn. Make the backup again'
  if (lastSequence >= sequence) return null
  return `it ends with entry ${lastSequence}, expected at least ${sequence}. Make the backup again`
}

function reportOf(folder: string, copied: Awaited<ReturnType<typeof copyLedger>>, proof: VerifyReport) {
  const { lastSequence: sequence, accounts, keys, balanceMicros } = proof
  return { ...copied, folder, sequence, accounts, keys, balanceMicros }
}

function notEmpty(folder: string, remedy: string): LedgerError {
  return new LedgerError('REFUSED', `${folder} is not empty, and nothing was changed. ${remedy}`)
}
