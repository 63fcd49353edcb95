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
import { openIndex as openBuffer, PostalCodes } from './browser.ts'

export * from './browser.ts'

/**
 * Opens an index file, or its bytes. A file is mapped: processes share its memory, and pages are read on use. It must not be changed in
 * place while it is open. The next `openIndex` sees a replaced file, such as a new build.
 * @param source path or `file:` URL of the file, or its bytes
 * @throws IndexFileError unless it is a sound index file; the system's error if it cannot be read
 */
export function openIndex(source: string | URL | Uint8Array | ArrayBuffer): PostalCodes {
  if (typeof source === 'string') return new PostalCodes(openFile(source))
  if (source instanceof URL) return new PostalCodes(openFile(fileURLToPath(source)))
  return openBuffer(source)
}
