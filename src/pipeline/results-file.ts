/** Where results go: a file that can be cut and synced, a device or a pipe, standard output, or nowhere. */
import { open, stat } from 'node:fs/promises'
import { InputError } from './input-error.ts'

export interface Results {
  /** Writes all of `bytes`. @throws the system's error */
  write(bytes: Uint8Array): Promise<void>
  /** Makes what has been written survive a power cut. */
  sync(): Promise<void>
  close(): Promise<void>
}

const NOTHING = { sync: async () => {}, close: async () => {} }

export const NO_RESULTS: Results = { ...NOTHING, write: async () => {} }

export const STANDARD_OUTPUT: Results = {
  ...NOTHING,
  write: bytes =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes, error => (error ? reject(error) : resolve()))
    }),
}

/** True if both paths lead to one file, by whatever links. False when one is missing. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map(path => stat(path).catch(() => undefined)))
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}

/** True if there is something at `path` that takes bytes and keeps none to go on with: a device, a pipe. */
export async function isStream(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

/** True if there is a file at `path` with something in it. */
export async function hasContent(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && found.size > 0
}

/** Opens a device or a pipe: there is nothing to cut, to sync, or to replace. @throws the system's error */
export async function openStream(path: string): Promise<Results> {
  const file = await open(path, 'a')
  return { ...NOTHING, write: bytes => file.appendFile(bytes), close: () => file.close() }
}

/**
 * Opens a file to go on after its first `keep` bytes; what follows them is cut off.
 * @throws InputError when it is shorter, the system's error
 */
export async function openFile(path: string, keep: number): Promise<Results> {
  const file = await open(path, 'a')
  const { size } = await file.stat()
  if (size < keep) {
    await file.close()
    throw new InputError(`${path} has ${size} bytes, ${keep} expected: begin again with --overwrite`)
  }
  await file.truncate(keep)
  return {
    write: bytes => file.appendFile(bytes),
    sync: () => file.datasync(),
    close: () => file.close(),
  }
}
