/** Outputs of results: a file, a device or a pipe, standard output, or none. */
import { existsSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface Results {
  /** Writes all of `bytes`. @throws the system's error */
  write(bytes: Uint8Array): Promise<void>
  /** Makes written results survive a power cut. */
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

/** True if both paths lead to one file, directly or through links. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map(path => stat(path).catch(() => undefined)))
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}

/** True for a device or a pipe, which cannot be resumed. */
export async function isStream(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

/** @throws Error if `path` is a folder, or in a folder that does not exist */
export async function expectFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory()) throw new Error(`${path} is a folder: name a file`)
  const folder = dirname(path)
  if (!existsSync(folder))
    throw new Error(`${path}: there is no folder ${folder}. Create it, or name another file`)
}

/** True if there is a file at `path` that is not empty. */
export async function hasContent(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && found.size > 0
}

/** Opens a device or a pipe. @throws the system's error */
export async function openStream(path: string): Promise<Results> {
  const file = await open(path, 'a')
  return { ...NOTHING, write: bytes => file.appendFile(bytes), close: () => file.close() }
}

/** Opens a file, and cuts it after its first `keep` bytes. @throws Error if it is shorter */
export async function openFile(path: string, keep: number): Promise<Results> {
  const file = await open(path, 'a')
  const { size } = await file.stat()
  if (size < keep) {
    await file.close()
    throw new Error(`${path} has ${size} bytes, expected ${keep}: begin again with --overwrite`)
  }
  await file.truncate(keep)
  return {
    write: bytes => file.appendFile(bytes),
    sync: () => file.datasync(),
    close: () => file.close(),
  }
}
