/** The list of what a backup holds, which is written last: a folder without it is not a backup. */
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FileSystem } from '../disk/file-system.ts'
import { ledgerFolder, listLedger, readWhole, replaceFile, writeAll } from '../disk/files.ts'
import { LedgerError } from '../errors.ts'
import type { VerifyReport } from './verify.ts'

export const MANIFEST_NAME = 'backup.json'
const MANIFEST_FORMAT = 1

/** What a proof found and which files it read. FORMAT.md explains each field. */
interface Manifest {
  format: number
  ledgerId: string
  lastSequence: number
  lastCrc: number
  files: { name: string; bytes: number }[]
}

/** Writes the manifest of the proved backup in `folder`, durably. @throws the system's error */
export async function writeManifest(fs: FileSystem, folder: string, proof: VerifyReport): Promise<void> {
  const text = `${JSON.stringify(await manifestOf(fs, folder, proof), null, 2)}\n`
  await replaceFile(fs, folder, join(folder, MANIFEST_NAME), file => writeAll(file, Buffer.from(text), 0))
}

/**
 * Compares a backup, and what a proof of it has found, with its manifest.
 * @throws LedgerError DAMAGED when the manifest is missing or differs, NEWER_FORMAT
 */
export async function expectManifest(fs: FileSystem, folder: string, proof: VerifyReport): Promise<void> {
  const path = join(folder, MANIFEST_NAME)
  const listed = await readManifest(fs, folder, path)
  const present = await manifestOf(fs, folder, proof)
  const differences = [
    ...differentFiles(listed, present),
    ...(['ledgerId', 'lastSequence', 'lastCrc'] as const)
      .filter(field => listed[field] !== present[field])
      .map(field => `found ${field} ${present[field]}, expected ${listed[field]}`),
  ]
  if (differences.length === 0) return
  const found = differences.slice(0, 3).join('; ')
  throw notWhole(folder, `it differs from its ${MANIFEST_NAME}: ${found}`)
}

async function manifestOf(fs: FileSystem, folder: string, proof: VerifyReport): Promise<Manifest> {
  const { segments, snapshots } = await listLedger(fs, ledgerFolder(folder))
  const files: Manifest['files'] = []
  for (const { path } of [...segments, ...snapshots]) {
    files.push({ name: basename(path), bytes: (await stat(path)).size })
  }
  const { ledgerId, lastSequence, lastCrc } = proof
  return { format: MANIFEST_FORMAT, ledgerId, lastSequence, lastCrc, files }
}

async function readManifest(fs: FileSystem, folder: string, path: string): Promise<Manifest> {
  if (!(await fs.list(folder)).includes(MANIFEST_NAME)) {
    throw notWhole(folder, `it has no ${MANIFEST_NAME}, which 'postrie backup' writes last`)
  }
  const manifest = parse((await readWhole(fs, path)).toString('utf8'))
  if (manifest === null) throw notWhole(folder, `${path} is not a manifest of a backup`)
  if (manifest.format <= MANIFEST_FORMAT) return manifest
  const versions = `found format ${manifest.format}, expected ${MANIFEST_FORMAT} or lower`
  throw new LedgerError('NEWER_FORMAT', `${path}: ${versions}. Restore it with the version that wrote it.`)
}

function parse(text: string): Manifest | null {
  try {
    const value = JSON.parse(text) as Partial<Manifest> | null
    const isManifest = Number.isSafeInteger(value?.format) && Array.isArray(value?.files)
    return isManifest ? (value as Manifest) : null
  } catch {
    return null
  }
}

function differentFiles(listed: Manifest, present: Manifest): string[] {
  const found = new Map(present.files.map(({ name, bytes }) => [name, bytes]))
  const differences: string[] = []
  for (const { name, bytes } of listed.files) {
    if (!found.has(name)) differences.push(`${name} is missing`)
    else if (found.get(name) !== bytes) {
      differences.push(`${name} has ${found.get(name)} bytes, expected ${bytes}`)
    }
    found.delete(name)
  }
  for (const name of found.keys()) differences.push(`${name} does not belong to it`)
  return differences
}

function notWhole(folder: string, why: string): LedgerError {
  const message =
    `${folder} cannot be restored: ${why}. It was cut short, copied in part, or used as a data folder since. Restore ` +
    `another backup, or copy the whole folder again. If you are sure that it holds everything, make a backup of it: ` +
    `DATA_DIR=${folder} postrie backup <folder>.`
  return new LedgerError('DAMAGED', message)
}
