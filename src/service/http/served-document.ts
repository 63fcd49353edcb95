/** A constant document, plain and packed, each with an entity tag, so that clients fetch it once. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i

export interface DocumentAnswer {
  status: 200 | 304
  body: Uint8Array
  headers: Readonly<Record<string, string>>
}

export class ServedDocument {
  readonly #plain: DocumentAnswer
  readonly #packed: DocumentAnswer

  constructor(text: string) {
    const tag = createHash('sha256').update(text).digest('base64url')
    const answer = (body: Uint8Array, headers: DocumentAnswer['headers']): DocumentAnswer => ({
      status: 200,
      body,
      headers: { 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding', ...headers },
    })
    this.#plain = answer(Buffer.from(text), { ETag: `"${tag}"` })
    this.#packed = answer(gzipSync(text), { ETag: `"${tag}-gzip"`, 'Content-Encoding': 'gzip' })
  }

  /** Returns the answer to a request with these headers; 304 if the client has the document. */
  answer(acceptEncoding: string, ifNoneMatch: string): DocumentAnswer {
    const { body, headers } = ACCEPTS_GZIP.test(acceptEncoding) ? this.#packed : this.#plain
    const { 'Content-Encoding': _, ...unchanged } = headers
    const known = ifNoneMatch.split(',').map(tag => tag.trim().replace(/^W\//, ''))
    const isKnown = known.includes('*') || known.includes(headers.ETag)
    return isKnown ? { status: 304, body, headers: unchanged } : { status: 200, body, headers }
  }
}
