/**
 * Library of postrie: postal codes from an index file, without a server.
 *
 * @example
 * import { openIndex } from 'postrie'
 * const codes = openIndex('data/index.postrie')
 * codes.lookup('SW1A 1AA', 'GB')
 */
import { fileURLToPath } from 'node:url'
import { openIndex as openFile } from '../index/open-index.ts'
import { readBuffer } from './browser.ts'
import { countryLetters } from './country-texts.ts'
import { PostalCodes } from './postal-codes.ts'

export { DamagedIndexError, IndexFileError } from '../index/index-file-error.ts'
export type { Detail } from '../index/post-table.ts'
export { PostalCodes } from './postal-codes.ts'
export type * from './records.ts'

/**
 * Opens an index file, or its bytes. A file is mapped: processes share its memory. It must not be changed in
 * place while it is open. The next `openIndex` sees a replaced file, such as a new build.
 * @param source path or `file:` URL of the file, or its bytes
 * @throws IndexFileError unless it is a sound index file; the system's error if it cannot be read
 */
export function openIndex(source: string | URL | Uint8Array | ArrayBuffer): PostalCodes {
  if (typeof source === 'string') return new PostalCodes(openFile(source), countryLetters)
  if (source instanceof URL) return new PostalCodes(openFile(fileURLToPath(source)), countryLetters)
  return new PostalCodes(readBuffer(source), countryLetters)
}
