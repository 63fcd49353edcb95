import { closeSync, openSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SOCKET_PATH_BYTES_MAX } from '../../platform/limits.ts'

export interface SocketPath {
  readonly path: string
  free(): void
}

/** Returns `file`, or for a path beyond the kernel's 108 bytes a path through a descriptor of its folder. */
export function socketPath(file: string): SocketPath {
  if (Buffer.byteLength(file) <= SOCKET_PATH_BYTES_MAX) return { path: file, free: () => {} }
  const folder = openSync(dirname(file), 'r')
  return { path: join('/proc/self/fd', String(folder), basename(file)), free: () => closeSync(folder) }
}
