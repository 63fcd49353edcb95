/** Copies a ledger file by file, also while a service writes it, and writes the manifest of a backup. */
import { basename, join } from 'node:path'
import * as z from 'zod'
import type { FileSystem, OpenFile } from '../disk/file-system.ts'
import { listLedger, readJson, withFile, writeAll, writeJson } from '../disk/files.ts'
import { LedgerError } from '../ledger-error.ts'
import { readFileHeader, SEGMENT_MAGIC } from '../log/file-header.ts'
import { readFramesOf } from '../log/frame.ts'
import type { VerifyReport } from './verify-ledger.ts'

const CHUNK_BYTES = 4 * 1024 * 1024
/** Attempts of a copy. The service may remove a covered file meanwhile. */
const TRIES_MAX = 4

/** Copies snapshots and segments, the growing one up to its last sound frame. A meter of the same moment cannot be copied. */
export async function copyLedger(fs: FileSystem, from: string, to: string) {
  for (let tries = 1; ; tries++) {
    const copied: string[] = []
    try {
      return await copyOnce(fs, from, to, copied)
    } catch (error) {
      for (const path of copied) await fs.remove(path)
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
      if (!isGone || tries === TRIES_MAX) throw error
    }
  }
}

async function copyOnce(fs: FileSystem, from: string, to: string, copied: string[]) {
  const { segments, snapshots } = await listLedger(fs, from)
  let bytes = 0
  for (const { path } of [...snapshots, ...segments]) {
    await withFile(fs, path, 'read', async source => {
      const end = path === segments.at(-1)?.path ? await soundEnd(source, path) : await source.size()
      const copy = join(to, basename(path))
      await withFile(fs, copy, 'create', async target => {
        copied.push(copy)
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

export const MANIFEST_NAME = 'backup.json'
const MANIFEST_FORMAT = 1

const manifest = z.object({
  format: z.int(),
  ledgerId: z.string(),
  baseSequence: z.int(),
  lastSequence: z.int(),
  lastCrc: z.int(),
})
const PROVED = ['ledgerId', 'baseSequence', 'lastSequence', 'lastCrc'] as const

export function writeManifest(fs: FileSystem, folder: string, proof: VerifyReport): Promise<void> {
  const { ledgerId, baseSequence, lastSequence, lastCrc } = proof
  const content = { format: MANIFEST_FORMAT, ledgerId, baseSequence, lastSequence, lastCrc }
  return writeJson(fs, join(folder, MANIFEST_NAME), content)
}

/** @throws LedgerError DAMAGED if the manifest of a backup is missing or differs from its proof, OTHER_FORMAT */
export async function expectManifest(fs: FileSystem, folder: string, proof: VerifyReport): Promise<void> {
  const path = join(folder, MANIFEST_NAME)
  const listed = await readJson(fs, path, manifest, flaw =>
    notWhole(folder, `${path} is not a manifest of a backup: ${flaw}`),
  )
  if (listed === null)
    throw notWhole(folder, `it has no ${MANIFEST_NAME}, which 'postrie backup' writes last`)
  if (listed.format !== MANIFEST_FORMAT) {
    const versions = `found format ${listed.format}, expected ${MANIFEST_FORMAT}`
    throw new LedgerError('OTHER_FORMAT', `${path}: ${versions}. Restore it with the version that wrote it.`)
  }
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
