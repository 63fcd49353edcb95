/** Outputs of results: a file, a device or a pipe, standard output, or none. */
import { existsSync, type Stats } from 'node:fs'
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

/** True if both paths lead to one file, directly or through links. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([statOf(one), statOf(other)])
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}

/** False for a device or a pipe, which cannot be resumed. @throws Error if no file can be at `path` */
export async function isFile(path: string): Promise<boolean> {
  const found = await statOf(path)
  if (found?.isDirectory()) throw new Error(`${path} is a folder: name a file`)
  const folder = dirname(path)
  if (!existsSync(folder))
    throw new Error(`${path}: there is no folder ${folder}. Create it, or name another file`)
  return found?.isFile() ?? true
}

/** True if there is a file at `path` that is not empty. */
export async function hasContent(path: string): Promise<boolean> {
  const found = await statOf(path)
  return found !== undefined && found.size > 0
}

function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined)
}

/** Opens a device or a pipe, standard output for `-`, or nothing for undefined. @throws the system's error */
export async function openStream(output: string | undefined): Promise<Results> {
  if (output === undefined) return { ...NOTHING, write: async () => {} }
  if (output === '-') return { ...NOTHING, write: writeStandardOutput }
  const file = await open(output, 'a')
  return { ...NOTHING, write: bytes => file.appendFile(bytes), close: () => file.close() }
}

function writeStandardOutput(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, error => (error ? reject(error) : resolve()))
  })
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
