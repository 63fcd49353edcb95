/** Fetches a published index over HTTP: within its bounds, resumed where it broke off, and used only when it is whole. */
import { open, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { INDEX_STALL_MS, MANIFEST_BYTES_MAX } from '../limits.ts'
import { replaceFile } from '../platform/replace-file.ts'
import {
  type IndexSource,
  indexFileName,
  type Manifest,
  PublicationError,
  readManifest,
  shownAddress,
} from './manifest.ts'
import { measured, soundIndex } from './publish.ts'

/** Statuses with which a server names another address, and how often in a row it may. */
const REDIRECTIONS = new Set([301, 302, 303, 307, 308])
const REDIRECTIONS_MAX = 10

/** What an address has said before, so that it need not say it again. */
export interface KnownManifest {
  readonly tag: string
  readonly manifest: Manifest
}

/** Bytes that have arrived, of how many. */
export type OnBytes = (bytes: number, total: number) => void

/**
 * The manifest at the source's address, `known` itself when it has not changed. @throws PublicationError
 * @param signal ends the request
 */
export async function fetchManifest(
  source: IndexSource,
  known: KnownManifest | null,
  signal: AbortSignal,
): Promise<KnownManifest> {
  const headers: Record<string, string> =
    known === null || known.tag === '' ? {} : { 'if-none-match': known.tag }
  const response = await get(
    source.url,
    headers,
    AbortSignal.any([signal, AbortSignal.timeout(INDEX_STALL_MS)]),
  )
  if (response.status === 304 && known !== null) {
    await response.body?.cancel()
    return known
  }
  if (response.status !== 200) throw await refused(response, source.url)
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of piecesOf(response, source.url)) {
    bytes += piece.length
    if (bytes > MANIFEST_BYTES_MAX)
      throw new PublicationError(
        `${shownAddress(source.url)} has more than ${MANIFEST_BYTES_MAX} bytes, which no manifest has`,
      )
    pieces.push(piece)
  }
  const manifest = readManifest(Buffer.concat(pieces).toString('utf8'), source)
  return { tag: response.headers.get('etag') ?? '', manifest }
}

/**
 * Puts the index that `manifest` names at `path`. What is there stays until the new file has the manifest's checksum and every
 * checksum in it is right. A part that has arrived is kept for the next attempt.
 * @throws PublicationError, IndexFileError, or the system's error
 */
export async function fetchIndex(
  { url }: IndexSource,
  manifest: Manifest,
  path: string,
  signal: AbortSignal,
  onBytes: OnBytes = () => {},
): Promise<void> {
  const part = `${path}.${manifest.build}.part`
  await removeOtherParts(path, part)
  const from = new URL(indexFileName(manifest.build), url)
  await fetchPart(from.href, manifest, part, signal, onBytes)
  try {
    const { sha256 } = await measured(part)
    if (sha256 !== manifest.sha256)
      throw new PublicationError(
        `${from.href} has the SHA-256 ${sha256}, expected ${manifest.sha256} as in its manifest; publish it again`,
      )
    const { build } = await soundIndex(part)
    if (build !== manifest.build)
      throw new PublicationError(
        `${from.href} is build ${build}, expected ${manifest.build} as in its manifest; publish it again`,
      )
  } catch (error) {
    // Another attempt must not begin with bytes that are wrong.
    await rm(part, { force: true })
    throw error
  }
  await replaceFile(part, path)
}

/** Appends to `part` what it still lacks. */
async function fetchPart(
  url: string,
  { bytes: total }: Manifest,
  part: string,
  signal: AbortSignal,
  onBytes: OnBytes,
): Promise<void> {
  const have = await stat(part).then(
    ({ size }) => (size <= total ? size : 0),
    () => 0,
  )
  if (have === total) return onBytes(total, total)
  const stalled = new AbortController()
  const watch = setTimeout(
    () => stalled.abort(new Error(`nothing arrived for ${INDEX_STALL_MS} ms`)),
    INDEX_STALL_MS,
  )
  try {
    const headers: Record<string, string> = { 'accept-encoding': 'identity' }
    if (have > 0) headers.range = `bytes=${have}-`
    const response = await get(url, headers, AbortSignal.any([signal, stalled.signal]))
    const isRest =
      response.status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${have}-`)
    if (response.status !== 200 && !isRest) throw await refused(response, url)
    const file = await open(part, isRest ? 'a' : 'w')
    let bytes = isRest ? have : 0
    try {
      for await (const piece of piecesOf(response, url)) {
        bytes += piece.length
        if (bytes > total)
          throw new PublicationError(
            `${url} has more bytes than the ${total} in its manifest; publish it again`,
          )
        await file.writeFile(piece)
        watch.refresh()
        onBytes(bytes, total)
      }
    } finally {
      await file.close()
    }
    if (bytes < total)
      throw new PublicationError(
        `${url} broke off after ${bytes} of ${total} bytes; the next attempt continues there`,
      )
  } finally {
    clearTimeout(watch)
  }
}

/**
 * The answer at `url`, or where it redirects to. Every step is checked, and not the last one alone: whoever can change a step in
 * the clear chooses where the next one leads.
 * @throws PublicationError when nobody answers, or a redirection leads from https to http, or there are too many
 */
async function get(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  let at = url
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(at, { headers, signal, redirect: 'manual' }).catch(error => {
      throw unreachable(at, error)
    })
    const location = response.headers.get('location')
    if (!REDIRECTIONS.has(response.status) || location === null) return response
    await response.body?.cancel()
    const next = URL.canParse(location, at) ? new URL(location, at).href : location
    if (url.startsWith('https:') && !next.startsWith('https:'))
      throw new PublicationError(
        `${shownAddress(url)} leads to ${shownAddress(next)}, expected https: what arrives in the clear proves nothing`,
      )
    if (redirects === REDIRECTIONS_MAX)
      throw new PublicationError(
        `${shownAddress(url)} leads from one address to the next more than ${redirects} times`,
      )
    at = next
  }
}

async function* piecesOf(response: Response, url: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of response.body ?? []) yield piece
  } catch (error) {
    throw unreachable(url, error as Error)
  }
}

function unreachable(url: string, error: Error): PublicationError {
  const { message, cause } = error
  const reason = cause instanceof Error ? cause.message : message
  return new PublicationError(`${shownAddress(url)} cannot be fetched: ${reason}`, { cause: error })
}

async function refused(response: Response, url: string): Promise<PublicationError> {
  await response.body?.cancel()
  return new PublicationError(
    `${shownAddress(url)} is answered ${response.status}, expected 200; check INDEX_URL and who may read it`,
  )
}

/** Parts of builds that are not wanted any more. */
async function removeOtherParts(path: string, wanted: string): Promise<void> {
  const prefix = `${basename(path)}.`
  for (const name of await readdir(dirname(path))) {
    const file = join(dirname(path), name)
    if (name.startsWith(prefix) && name.endsWith('.part') && file !== wanted) await rm(file, { force: true })
  }
}
