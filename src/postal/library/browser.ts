/**
 * Library for browsers and edge functions, with the index in a buffer.
 *
 * @example
 * import { openIndex } from 'postrie'
 * const codes = openIndex(await (await fetch('/index.postrie')).arrayBuffer())
 * codes.lookup('90210')
 */
import { readIndex } from '../index/postal-index.ts'
import { PostalCodes } from './postal-codes.ts'

export { DamagedIndexError, IndexFileError } from '../index/index-file-error.ts'
export type { Detail } from '../index/post-table.ts'
export { PostalCodes } from './postal-codes.ts'
export type * from './records.ts'

/** Alignment of sections from the start of the file. */
const ALIGNMENT_BYTES = 8
const NAME_IN_MESSAGES = 'the index in this buffer'

/**
 * Opens the index file in `source`. The bytes are read in place and must not change; misaligned ones are
 * copied. @throws IndexFileError unless they are a sound index file; TypeError unless `source` is bytes
 */
export function openIndex(source: Uint8Array | ArrayBuffer): PostalCodes {
  return new PostalCodes(readBuffer(source))
}

/** @internal */
export function readBuffer(source: Uint8Array | ArrayBuffer) {
  if (!(source instanceof Uint8Array || source instanceof ArrayBuffer))
    throw new TypeError(
      `openIndex got ${source === null ? 'null' : typeof source}, a Uint8Array or an ArrayBuffer expected, ` +
        'or the name of a file in Node.js',
    )
  const given = source instanceof ArrayBuffer ? new Uint8Array(source) : source
  const bytes = given.byteOffset % ALIGNMENT_BYTES === 0 ? given : new Uint8Array(given)
  return readIndex({ bytes, handle: { address: 0n, length: 0 }, release: async () => {} }, NAME_IN_MESSAGES)
}
