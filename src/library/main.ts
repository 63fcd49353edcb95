/**
 * postrie in process: postal codes from an index file, without a server.
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
 * Opens an index file, or the bytes of one. A file is mapped: every process that opens it shares its memory, and pages are read
 * as they are needed. It must not be changed in place while it is open; a new file put in its place, as `postrie build` does,
 * is seen by the next `openIndex`.
 * @param source path or `file:` URL of the file, or its bytes
 * @throws IndexFileError when it is not a sound index file, the system's error when it cannot be read
 */
export function openIndex(source: string | URL | Uint8Array | ArrayBuffer): PostalCodes {
  if (typeof source === 'string') return new PostalCodes(openFile(source))
  if (source instanceof URL) return new PostalCodes(openFile(fileURLToPath(source)))
  return openBuffer(source)
}
