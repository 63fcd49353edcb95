/** A constant document, plain and packed, each with an entity tag, so that clients fetch it once. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i

/** Returns a function that answers requests with these headers; with 304 if the client has the document. */
export function servedDocument(text: string) {
  const tag = createHash('sha256').update(text).digest('base64url')
  const plain = { body: Buffer.from(text), etag: `"${tag}"`, coding: {} }
  const packed = { body: gzipSync(text), etag: `"${tag}-gzip"`, coding: { 'Content-Encoding': 'gzip' } }
  return (acceptEncoding: string, ifNoneMatch: string) => {
    const { body, etag, coding } = ACCEPTS_GZIP.test(acceptEncoding) ? packed : plain
    const isKnown = ifNoneMatch.split(',').some(known => ['*', etag, `W/${etag}`].includes(known.trim()))
    const headers = { 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding', ETag: etag }
    return { status: isKnown ? 304 : 200, body, headers: isKnown ? headers : { ...headers, ...coding } }
  }
}
