/** Makes and restores backups. Each copy of a ledger is proved. */

import { readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod'
import { expectSpace } from '../../../platform/free-space.ts'
import { makeFolder } from '../../../platform/private-files.ts'
import type { FileLock, OpenFile } from '../disk/file-system.ts'
import {
  LEDGER_FOLDER,
  LOCK_NAME,
  ledgerFolder,
  listLedger,
  readJson,
  withFile,
  writeAll,
  writeJson,
} from '../disk/files.ts'
import { nodeFileSystem as fs } from '../disk/node-file-system.ts'
import { LedgerError, unusable } from '../ledger-error.ts'
import { readFileHeader, SEGMENT_MAGIC } from '../log/file-header.ts'
import { readFramesOf } from '../log/frame.ts'
import { REPLACED, RESTORE_COPY } from '../presence.ts'
import { ledgerBytes, reservedBytes } from '../reserved-space.ts'
import { type VerifyReport, verifyLedger } from './verify-ledger.ts'

/** Folder of an unproved backup, so that nothing takes it for a data folder. */
const UNFINISHED = 'unfinished'

export type BackupReport = ReturnType<typeof reportOf>

/**
 * Copies the ledger of `dir`, which may be in use, and proves the copy up to `sequence`. The manifest comes
 * last: without it, the folder is no backup. @param target a missing or empty folder
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
    const proved = Object.fromEntries(PROVED.map(field => [field, proof[field]]))
    await writeJson(fs, join(target, MANIFEST_NAME), { format: FORMAT, ...proved })
    await fs.syncFolder(dirname(target))
    return reportOf(target, copied, proof)
  } catch (error) {
    for (const name of [UNFINISHED, LEDGER_FOLDER, MANIFEST_NAME])
      await rm(join(target, name), { recursive: true, force: true })
    throw unusable(target, error)
  }
}

/**
 * Proves a backup, copies it, proves the copy and puts it in place. An existing ledger is refused, or moved
 * aside with `replace`. Each rename is durable before the next. If a process dies between them,
 * `expectNotLost` names the remedy.
 */
export async function restoreLedger(backup: string, dir: string, replace: boolean) {
  const source = await verifyLedger(backup)
  const problem = flawOf(source, 1)
  if (problem !== null) throw new LedgerError('DAMAGED', `${backup} cannot be restored: ${problem}`)
  await expectManifest(backup, source)
  const folder = ledgerFolder(dir)
  const nowMs = Date.now()
  const copy = join(dir, `${RESTORE_COPY}${nowMs}`)
  const replaced = join(dir, `${REPLACED}${nowMs}`)
  let isMoved = false
  let lock: FileLock | null = null
  try {
    await fs.makeFolder(folder)
    lock = fs.lock(folder)
    const hasLedger = (await fs.list(folder)).some(name => name !== LOCK_NAME)
    if (hasLedger && !replace) throw notEmpty(folder, 'Add --replace to move it aside.')
    for (const name of await readdir(dir))
      if (name.startsWith(RESTORE_COPY)) await rm(join(dir, name), { recursive: true })
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
    lock?.release()
  }
}

async function copyAndProve(from: string, to: string, sequence: number) {
  await fs.makeFolder(to)
  const copied = await copyLedger(ledgerFolder(from), ledgerFolder(to))
  const proof = await verifyLedger(to)
  const flaw = flawOf(proof, sequence)
  if (flaw === null) return { copied, proof }
  throw new LedgerError('DAMAGED', `${from} was copied, and the copy was removed again: ${flaw}`)
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

const CHUNK_BYTES = 4 * 1024 * 1024
/** Attempts of a copy. The service may remove a covered file meanwhile. */
const TRIES_MAX = 4

/** Copies snapshots, and segments up to the last sound frame. A meter of that moment cannot be copied. */
async function copyLedger(from: string, to: string) {
  for (let tries = 1; ; tries++) {
    await fs.makeFolder(to)
    try {
      return await copyOnce(from, to)
    } catch (error) {
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
      if (!isGone || tries === TRIES_MAX) throw error
      await rm(to, { recursive: true })
    }
  }
}

async function copyOnce(from: string, to: string) {
  const { segments, snapshots } = await listLedger(fs, from)
  let bytes = 0
  for (const { path } of [...snapshots, ...segments]) {
    await withFile(fs, path, 'read', async source => {
      const end = path === segments.at(-1)?.path ? await soundEnd(source, path) : await source.size()
      await withFile(fs, join(to, basename(path)), 'create', async target => {
        await copyBytes(source, target, end)
        await target.sync()
      })
      bytes += end
    })
  }
  await fs.syncFolder(to)
  await fs.syncFolder(join(to, '..'))
  return { segments: segments.length, snapshots: snapshots.length, bytes }
}

async function copyBytes(source: OpenFile, target: OpenFile, end: number): Promise<void> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let position = 0; position < end; ) {
    const length = await source.read(chunk.subarray(0, end - position), position)
    if (length === 0) throw new Error('a file became shorter while it was copied')
    await writeAll(target, chunk.subarray(0, length), position)
    position += length
  }
}

async function soundEnd(file: OpenFile, path: string): Promise<number> {
  const header = await readFileHeader(file, path, SEGMENT_MAGIC)
  const size = await file.size()
  if ('found' in header) return size
  const chain = { sequence: header.sequence - 1, crc: header.chainCrc, epoch: 0 }
  return (await readFramesOf(file, chain, () => {}))?.frameOffset ?? size
}

const MANIFEST_NAME = 'backup.json'
const FORMAT = 1

const manifest = z.strictObject({
  format: z.literal(FORMAT),
  ledgerId: z.string(),
  baseSequence: z.int(),
  lastSequence: z.int(),
  lastCrc: z.int(),
})
const PROVED = ['ledgerId', 'baseSequence', 'lastSequence', 'lastCrc'] as const

/** @throws LedgerError DAMAGED if the manifest of a backup is missing or differs from its proof */
async function expectManifest(folder: string, proof: VerifyReport): Promise<void> {
  const path = join(folder, MANIFEST_NAME)
  const listed = await readJson(fs, path, manifest, flaw =>
    notWhole(folder, `${path} is not a manifest of a backup: ${flaw}`),
  )
  if (listed === null)
    throw notWhole(folder, `it has no ${MANIFEST_NAME}, which 'postrie backup' writes last`)
  const differences = PROVED.filter(field => listed[field] !== proof[field]).map(
    field => `found ${field} ${proof[field]}, expected ${listed[field]}`,
  )
  if (differences.length > 0)
    throw notWhole(folder, `it differs from its ${MANIFEST_NAME}: ${differences.join('; ')}`)
}

function notWhole(folder: string, why: string): LedgerError {
  const message =
    `${folder} cannot be restored: ${why}. It was cut short, copied in part, or used as a data folder since. Restore ` +
    `another backup, or copy the whole folder again. If you are sure that it is complete, make a backup of it: ` +
    `DATA_DIR=${folder} postrie backup <folder>.`
  return new LedgerError('DAMAGED', message)
}
