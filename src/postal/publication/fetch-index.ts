/** Fetches a published index over HTTP, within bounds. Only a complete, verified index is used. */
import { open, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectSpace } from '../../platform/free-space.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import {
  type IndexSource,
  indexFileName,
  type Manifest,
  PublicationError,
  readManifest,
  shownAddress,
} from './manifest.ts'
import { measureFile, verifyIndexFile } from './publish.ts'

const MANIFEST_BYTES_MAX = 64 * 1024
/** Milliseconds in which INDEX_STALL_BYTES must arrive. A slower fetch waits for the next check. */
const INDEX_STALL_MS = 15_000
/** Bytes that must arrive within INDEX_STALL_MS, so that a trickle does not hold a fetch for ever. */
const INDEX_STALL_BYTES = 64 * 1024
const INDEX_FETCH_ATTEMPTS = 4

const REDIRECTIONS = new Set([301, 302, 303, 307, 308])
const REDIRECTIONS_MAX = 10

const RETRY_MS = 500

/** Thrown when the connection fails. Another attempt may succeed. */
class BrokenOff extends PublicationError {}

interface FetchOptions {
  signal: AbortSignal
  /** Returns the bytes that must stay free on the disk of the index. Called again while the file grows. */
  leaveBytes(): Promise<number>
  /** Milliseconds in which the next INDEX_STALL_BYTES must arrive. */
  stallMs?: number
  onBytes?(bytes: number): void
}

export async function fetchManifest(source: IndexSource, signal: AbortSignal): Promise<Manifest> {
  const response = await get(source.url, {}, AbortSignal.any([signal, AbortSignal.timeout(INDEX_STALL_MS)]))
  if (response.status !== 200) throw await refusal(response, source.url)
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of piecesOf(response, source.url)) {
    bytes += piece.length
    if (bytes > MANIFEST_BYTES_MAX)
      throw new PublicationError(
        `${shownAddress(source.url)} has more than ${MANIFEST_BYTES_MAX} bytes, the maximum of a manifest. Check INDEX_URL`,
      )
    pieces.push(piece)
  }
  return readManifest(Buffer.concat(pieces), source)
}

/** Puts the verified index of `manifest` at `path`. A broken fetch is resumed. @throws PublicationError */
export async function fetchIndex(
  { url }: IndexSource,
  manifest: Manifest,
  path: string,
  options: FetchOptions,
): Promise<void> {
  const from = new URL(indexFileName(manifest.build), url).href
  const part = `${path}.${process.pid}.part`
  await removeLeftovers(path)
  try {
    await retryBroken(() => fetchPart(from, manifest, part, options), options.signal)
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

/** Repeats `work` while its connection fails, up to INDEX_FETCH_ATTEMPTS times. @throws the last error */
export async function retryBroken<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  onFailure: (error: Error) => void = () => {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof BrokenOff) || signal.aborted || attempt === INDEX_FETCH_ATTEMPTS) throw error
      onFailure(error)
    }
    await sleep(RETRY_MS * 2 ** (attempt - 1), undefined, { signal })
  }
}

/** Returns the files of dead processes beside the index at `path`: parts of fetches, drafts of builds. */
export async function findLeftovers(path: string): Promise<{ path: string; bytes: number }[]> {
  const folder = dirname(path)
  const names = await readdir(folder).catch(() => [])
  const left = names.filter(name => name.startsWith(`${basename(path)}.`) && isLeftover(name))
  return Promise.all(
    left.map(async name => {
      const file = join(folder, name)
      const found = await stat(file).catch(() => undefined)
      return { path: file, bytes: found?.size ?? 0 }
    }),
  )
}

export async function removeLeftovers(path: string): Promise<void> {
  for (const { path: file } of await findLeftovers(path)) await rm(file, { force: true })
}

function isLeftover(name: string): boolean {
  const [, maker] = /\.(\d+)\.(?:part|tmp)$/.exec(name) ?? []
  // In a container, a process often has the number of its predecessor.
  return maker !== undefined && (Number(maker) === process.pid || !isAlive(Number(maker)))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function fetchPart(
  url: string,
  { bytes: total }: Manifest,
  part: string,
  { signal, leaveBytes, stallMs = INDEX_STALL_MS, onBytes }: FetchOptions,
): Promise<void> {
  const have = await stat(part).then(
    ({ size }) => (size <= total ? size : 0),
    () => 0,
  )
  if (have === total) return
  // The ledger may grow meanwhile, so the space is checked before each piece.
  const expectRoomFor = async (bytes: number) => expectSpace(url, part, bytes, await leaveBytes())
  await expectRoomFor(total - have)
  const stalled = new AbortController()
  const watch = setTimeout(
    () => stalled.abort(new Error(`less than ${INDEX_STALL_BYTES} bytes arrived in ${stallMs} ms`)),
    stallMs,
  )
  try {
    const headers: Record<string, string> = { 'accept-encoding': 'identity' }
    if (have > 0) headers.range = `bytes=${have}-`
    const response = await get(url, headers, AbortSignal.any([signal, stalled.signal]))
    const isRest =
      response.status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${have}-`)
    if (response.status !== 200 && !isRest) throw await refusal(response, url)
    const file = await open(part, isRest ? 'a' : 'w')
    let bytes = isRest ? have : 0
    let watched = bytes
    try {
      for await (const piece of piecesOf(response, url)) {
        bytes += piece.length
        onBytes?.(bytes)
        if (bytes > total)
          throw new PublicationError(
            `${url} has more bytes than the ${total} in its manifest. Publish it again`,
          )
        await expectRoomFor(total - bytes + piece.length)
        await file.writeFile(piece)
        if (bytes - watched >= INDEX_STALL_BYTES) {
          watched = bytes
          watch.refresh()
        }
      }
    } finally {
      await file.close()
    }
    if (bytes < total) throw new BrokenOff(`${url} broke off after ${bytes} of ${total} bytes`)
  } finally {
    clearTimeout(watch)
  }
}

/** Returns the answer at `url`, after redirections; from https only to https. @throws PublicationError */
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
      throw new PublicationError(`${shownAddress(url)} leads to ${shownAddress(next)}, expected https`)
    if (redirects === REDIRECTIONS_MAX)
      throw new PublicationError(`${shownAddress(url)} has more than ${redirects} redirections`)
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

function unreachable(url: string, error: Error): BrokenOff {
  const { message, cause } = error
  const reason = cause instanceof Error ? cause.message : message
  return new BrokenOff(`${shownAddress(url)} cannot be fetched: ${reason}`, { cause: error })
}

async function refusal(response: Response, url: string): Promise<PublicationError> {
  await response.body?.cancel()
  return new PublicationError(
    `${shownAddress(url)} is answered ${response.status}, expected 200. Check INDEX_URL and its permissions`,
  )
}
