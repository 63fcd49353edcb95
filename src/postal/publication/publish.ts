/** Publishes an index: a verified copy and its manifest in a folder, from where servers fetch them. */
import { createHash, type KeyObject } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, copyFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expectSpace } from '../../platform/free-space.ts'
import { makeFolder } from '../../platform/private-files.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { openServedIndex, verifyServedIndex } from '../index/index-memory.ts'
import { partOf, removeLeftovers } from './leftovers.ts'
import { indexFileName, MANIFEST_NAME, type Manifest, signManifest } from './manifest.ts'

/** Mode of both files, whatever the mask: a web server of another user reads them. */
const PUBLIC_MODE = 0o644

/**
 * Verifies the index at `indexFile` and publishes it into `folder`, the manifest last. Files of other builds
 * stay for servers that still fetch them. @param leaveBytes bytes that stay free
 * @throws IndexFileError, PublicationError, DiskSpaceError, or the system's error
 */
export async function publishIndex(
  indexFile: string,
  folder: string,
  privateKey: KeyObject | null,
  leaveBytes = 0,
): Promise<Manifest> {
  await makeFolder(folder, 0o777)
  const hidden = join(folder, `.${MANIFEST_NAME}`)
  // The copy is verified, and then the manifest takes its name. No other process writes there meanwhile.
  const draft = partOf(hidden)
  await removeLeftovers(hidden)
  const { size } = await stat(indexFile)
  await expectSpace('The published index', folder, size, leaveBytes)
  try {
    await copyFile(indexFile, draft)
    await chmod(draft, PUBLIC_MODE)
    const { build, codes, countries } = await verifyIndexFile(draft)
    const { bytes, sha256 } = await measureFile(draft)
    const manifest: Manifest = { build, bytes, sha256, codes, countries }
    const complete = privateKey === null ? manifest : signManifest(manifest, privateKey)
    await replaceFile(draft, join(folder, indexFileName(build)))
    await writeFile(draft, `${JSON.stringify(complete, null, 2)}\n`)
    await chmod(draft, PUBLIC_MODE)
    await replaceFile(draft, join(folder, MANIFEST_NAME))
    return complete
  } finally {
    await rm(draft, { force: true })
  }
}

/** Verifies every checksum of the index at `path` and returns its build and size. @throws IndexFileError */
export async function verifyIndexFile(
  path: string,
): Promise<Pick<Manifest, 'build' | 'codes' | 'countries'>> {
  const index = await openServedIndex(path)
  try {
    await verifyServedIndex(index)
    const { buildId, codeCount, countryCount } = index.file
    return { build: buildId, codes: codeCount, countries: countryCount }
  } finally {
    await index.loans.retire()
  }
}

export async function measureFile(path: string): Promise<Pick<Manifest, 'bytes' | 'sha256'>> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}
