/**
 * Compresses pages and figures in one call. A stream costs some ten times as much for a few kilobytes of text, and a page that is
 * rendered as a whole needs none. Everything else, such as files that are streamed, is for Hono's middleware.
 */
import { promisify } from 'node:util'
import { constants, gzip, gzipSync } from 'node:zlib'
import type { MiddlewareHandler } from 'hono'
import { COMPRESSIBLE_CONTENT_TYPE_REGEX, compress } from 'hono/compress'

/** Shorter texts gain nothing. */
const BYTES_MIN = 1024
/** Longer ones are compressed on Node's thread pool: they would hold the event loop up for milliseconds. */
const BYTES_NOW_MAX = 128 * 1024
const OPTIONS = { level: constants.Z_BEST_SPEED }
const PAGE_TYPE = /^(text\/html|application\/json)\b/i
/** A coding with the weight 0 is one that the client refuses. */
const ACCEPTS_GZIP = /(^|[\s,])gzip\s*(?!\s*;\s*q=0(\.0*)?\s*(,|$))(;|,|$)/i

const gzipLater = promisify(gzip)

/** Compresses what the handlers below it answer with, where the browser accepts gzip. */
export function compressed(): MiddlewareHandler[] {
  return [
    compress({
      contentTypeFilter: type => !PAGE_TYPE.test(type) && COMPRESSIBLE_CONTENT_TYPE_REGEX.test(type),
    }),
    compressPages,
  ]
}

const compressPages: MiddlewareHandler = async (c, next) => {
  await next()
  const { res } = c
  const { headers, status } = res
  if (!PAGE_TYPE.test(headers.get('Content-Type') ?? '') || c.req.method === 'HEAD') return
  headers.append('Vary', 'Accept-Encoding')
  if (!ACCEPTS_GZIP.test(c.req.header('Accept-Encoding') ?? '')) return
  const bytes = Buffer.from(await res.arrayBuffer())
  const isWorthIt = bytes.length >= BYTES_MIN
  const body = isWorthIt ? await gzipped(bytes) : bytes
  if (isWorthIt) headers.set('Content-Encoding', 'gzip')
  headers.set('Content-Length', String(body.length))
  // Otherwise Hono copies every header from the earlier answer into this one.
  c.res = undefined
  c.res = new Response(new Uint8Array(body), { status, headers })
}

function gzipped(bytes: Buffer): Buffer | Promise<Buffer> {
  return bytes.length > BYTES_NOW_MAX ? gzipLater(bytes, OPTIONS) : gzipSync(bytes, OPTIONS)
}
