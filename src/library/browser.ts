/**
 * The library without files, for browsers and edge functions: the index comes from a buffer.
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
 * Opens the index file in `source`. The bytes are read in place and must not change; misaligned ones are copied.
 * @throws IndexFileError when they are not a sound index file
 * @throws TypeError for anything but bytes
 */
export function openIndex(source: Uint8Array | ArrayBuffer): PostalCodes {
  return new PostalCodes(readBuffer(source))
}

function readBuffer(source: Uint8Array | ArrayBuffer) {
  if (!(source instanceof Uint8Array || source instanceof ArrayBuffer))
    throw new TypeError(
      `openIndex got ${source === null ? 'null' : typeof source}, a Uint8Array or an ArrayBuffer expected: ` +
        'a file is opened by name only in Node.js',
    )
  const given = source instanceof ArrayBuffer ? new Uint8Array(source) : source
  // Words cannot be viewed at an odd offset, so a misaligned buffer is copied.
  const bytes = given.byteOffset % ALIGNMENT_BYTES === 0 ? given : new Uint8Array(given)
  return readIndex({ bytes, handle: { address: 0n, length: 0 }, release: async () => {} }, NAME_IN_MESSAGES)
}
