/** Fetches a published index over HTTP, within bounds. Only a complete, verified index is used. */
import { rm } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { fetchFrom, savePieces } from '../../platform/download.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { partOf, removeLeftovers } from './leftovers.ts'
import { indexFileName, type Manifest, type Publication, PublicationError, readManifest } from './manifest.ts'
import { measureFile, verifyIndexFile } from './publish.ts'

const MANIFEST_BYTES_MAX = 64 * 1024

interface FetchOptions {
  signal?: AbortSignal
  /** Returns the bytes that must stay free on the disk of the index. Called again while the file grows. */
  leaveBytes(): Promise<number>
  stallMs?: number
  onBytes?(bytes: number): void
}

/** @throws DownloadError, PublicationError */
export function fetchManifest(source: Publication, signal?: AbortSignal): Promise<Manifest> {
  return fetchFrom(source.url, { signal, bytesMax: MANIFEST_BYTES_MAX }, async (_, pieces) =>
    readManifest(await buffer(pieces), source),
  )
}

/** Puts the verified index of `manifest` at `path`. @throws DownloadError, DiskSpaceError, PublicationError */
export async function fetchIndex(
  { url }: Publication,
  manifest: Manifest,
  path: string,
  { signal, leaveBytes, stallMs, onBytes }: FetchOptions,
): Promise<void> {
  const from = new URL(indexFileName(manifest.build), url).href
  const part = partOf(path)
  const { bytes: total } = manifest
  await removeLeftovers(path)
  try {
    await fetchFrom(from, { signal, stallMs, bytesMax: total }, (_, pieces) =>
      savePieces(pieces, part, { what: from, total, leaveBytes, onBytes }),
    )
    const expect = (what: string, found: string, expected: string) => {
      if (found !== expected)
        throw new PublicationError(
          `${from} ${what} ${found}, expected ${expected} as in its manifest. Publish it again`,
        )
    }
    expect('has the SHA-256', (await measureFile(part)).sha256, manifest.sha256)
    expect('is build', (await verifyIndexFile(part)).build, manifest.build)
    await replaceFile(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}
