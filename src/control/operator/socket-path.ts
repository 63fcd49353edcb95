/** A name for a Unix socket that the kernel accepts, however deep its folder lies. */
import { closeSync, openSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SOCKET_PATH_BYTES_MAX } from '../../limits.ts'

export interface SocketPath {
  readonly path: string
  free(): void
}

/** `file` itself; beyond the kernel's 108 bytes, its folder as a descriptor, which Linux resolves like any path. */
export function socketPath(file: string): SocketPath {
  if (Buffer.byteLength(file) <= SOCKET_PATH_BYTES_MAX) return { path: file, free: () => {} }
  const folder = openSync(dirname(file), 'r')
  return { path: join('/proc/self/fd', String(folder), basename(file)), free: () => closeSync(folder) }
}
