/** Downloads over HTTP, within bounds of bytes, of time and of the disk. */
import { open } from 'node:fs/promises'
import { expectSpace } from './free-space.ts'

/** Milliseconds in which STALL_BYTES must arrive. */
const STALL_MS = 15_000
/** A trickle does not hold a download for ever. */
const STALL_BYTES = 64 * 1024

const REDIRECTIONS = new Set([301, 302, 303, 307, 308])
const REDIRECTIONS_MAX = 10

/** Thrown when an address cannot be fetched. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError'
  /** Status of the answer; undefined if the connection broke. */
  readonly status: number | undefined

  constructor(message: string, status?: number, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

interface FetchOptions {
  headers?: Record<string, string>
  signal?: AbortSignal
  /** Milliseconds until the answer, and then until each further STALL_BYTES of it. */
  stallMs?: number
  bytesMax: number
}

/**
 * Returns what `use` makes of the answer at `url` and of its pieces. Redirections from https lead only to https.
 * @throws DownloadError
 */
export async function fetchFrom<T>(
  url: string,
  { headers = {}, signal, stallMs = STALL_MS, bytesMax }: FetchOptions,
  use: (response: Response, pieces: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const ended = new AbortController()
  const stalled = setTimeout(
    () => ended.abort(new Error(`less than ${STALL_BYTES} bytes arrived in ${stallMs} ms`)),
    stallMs,
  )
  try {
    const signals = signal === undefined ? [ended.signal] : [ended.signal, signal]
    const response = await get(url, { 'accept-encoding': 'identity', ...headers }, AbortSignal.any(signals))
    stalled.refresh()
    if (!response.ok && !(response.status === 304 && 'if-modified-since' in headers))
      throw new DownloadError(
        `${shownAddress(url)} is answered ${response.status}, expected 200. Check the address and its permissions`,
        response.status,
      )
    return await use(response, piecesOf(response, url, bytesMax, stalled))
  } finally {
    clearTimeout(stalled)
    ended.abort()
  }
}

interface Saving {
  /** Name of the download in messages. */
  what: string
  /** Bytes that the file has already. */
  start?: number
  /** Bytes of the complete file, if known. */
  total: number | undefined
  /** Returns the bytes that must stay free on the disk. Called for each piece: the ledger may grow meanwhile. */
  leaveBytes(): Promise<number>
  onBytes?(bytes: number): void
}

/** Writes `pieces` after the first `start` bytes of the file. @throws DiskSpaceError, or DownloadError if it stays short */
export async function savePieces(
  pieces: AsyncIterable<Uint8Array>,
  path: string,
  { what, start = 0, total, leaveBytes, onBytes }: Saving,
): Promise<void> {
  const file = await open(path, start > 0 ? 'a' : 'w')
  let bytes = start
  try {
    for await (const piece of pieces) {
      await expectSpace(what, path, total === undefined ? piece.length : total - bytes, await leaveBytes())
      await file.writeFile(piece)
      bytes += piece.length
      onBytes?.(bytes)
    }
  } finally {
    await file.close()
  }
  if (total !== undefined && bytes < total)
    throw new DownloadError(`${what} broke off after ${bytes} of ${total} bytes`)
}

/** Returns `url` for logs and messages, without its query, which may have a token. */
export function shownAddress(url: string): string {
  return url.replace(/\?[^#]*/, '?…')
}

async function get(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  let at = url
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(at, { headers, signal, redirect: 'manual' }).catch(error => {
      throw unreachable(at, error)
    })
    const { status } = response
    const location = response.headers.get('location')
    if (!REDIRECTIONS.has(status) || location === null) return response
    await response.body?.cancel()
    const next = URL.canParse(location, at) ? new URL(location, at).href : location
    if (url.startsWith('https:') && !next.startsWith('https:'))
      throw new DownloadError(`${shownAddress(url)} leads to ${shownAddress(next)}, expected https`, status)
    if (redirects === REDIRECTIONS_MAX)
      throw new DownloadError(`${shownAddress(url)} has more than ${redirects} redirections`, status)
    at = next
  }
}

async function* piecesOf(
  response: Response,
  url: string,
  bytesMax: number,
  stalled: NodeJS.Timeout,
): AsyncGenerator<Uint8Array> {
  let [bytes, seen] = [0, 0]
  try {
    for await (const piece of response.body ?? []) {
      bytes += piece.length
      if (bytes > bytesMax) break
      if (bytes - seen >= STALL_BYTES) {
        seen = bytes
        stalled.refresh()
      }
      yield piece
    }
  } catch (error) {
    throw unreachable(url, error as Error)
  }
  if (bytes > bytesMax)
    throw new DownloadError(
      `${shownAddress(url)} has more than ${bytesMax} bytes, the maximum. Check what is there`,
      response.status,
    )
}

function unreachable(url: string, error: Error): DownloadError {
  const { message, cause } = error
  const reason = cause instanceof Error ? cause.message : message
  return new DownloadError(`${shownAddress(url)} cannot be fetched: ${reason}`, undefined, error)
}
