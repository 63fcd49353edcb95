/**
 * Compresses pages and figures in one call, when they are rendered. A stream costs some ten times as much for a few kilobytes of
 * text, and it begins with an answer whose text has to be taken out again. What is not a page, such as a file that is streamed, is
 * for Hono's middleware.
 */
import { promisify } from 'node:util'
import { constants, gzip, gzipSync } from 'node:zlib'
import type { Context, MiddlewareHandler } from 'hono'
import { COMPRESSIBLE_CONTENT_TYPE_REGEX, compress } from 'hono/compress'
import { HtmlEscapedCallbackPhase, resolveCallback } from 'hono/utils/html'
import type { StatusCode } from 'hono/utils/http-status'

/** Shorter texts gain nothing. */
const CHARACTERS_MIN = 1024
/** Longer ones are compressed on Node's thread pool: they would hold the event loop up for milliseconds. */
const CHARACTERS_NOW_MAX = 128 * 1024
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

type Headers = Record<string, string | string[]>

/** Has the functions with which handlers make pages and figures compress them. */
const compressPages: MiddlewareHandler = (c, next) => {
  const isWanted = ACCEPTS_GZIP.test(c.req.header('Accept-Encoding') ?? '')
  const html = async (page: string | Promise<string>, status?: StatusCode, headers?: Headers) =>
    answer(c, await textOf(page), 'text/html; charset=UTF-8', isWanted, status, headers)
  const json = (value: unknown, status?: StatusCode, headers?: Headers) =>
    answer(c, JSON.stringify(value), 'application/json', isWanted, status, headers)
  // Their types say of each answer what it holds, which nobody asks for here.
  c.html = html as unknown as Context['html']
  c.json = json as unknown as Context['json']
  return next()
}

/** As Hono's own `html` does it: a page in JSX is an object that renders itself. */
function textOf(page: string | Promise<string>): string | Promise<string> {
  return typeof page === 'object'
    ? resolveCallback(page, HtmlEscapedCallbackPhase.Stringify, false, {})
    : page
}

function answer(
  c: Context,
  text: string,
  type: string,
  isWanted: boolean,
  status?: StatusCode,
  more?: Headers,
): Response | Promise<Response> {
  const headers = { 'Content-Type': type, Vary: 'Accept-Encoding', ...more }
  const isCompressed = isWanted && text.length >= CHARACTERS_MIN
  if (!isCompressed) return c.newResponse(text, status, headers)
  const send = (bytes: Buffer) =>
    c.newResponse(new Uint8Array(bytes), status, { ...headers, 'Content-Encoding': 'gzip' })
  if (text.length > CHARACTERS_NOW_MAX) return gzipLater(text, OPTIONS).then(send)
  return send(gzipSync(text, OPTIONS))
}
