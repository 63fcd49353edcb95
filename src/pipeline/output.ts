/** Where results go: a file that can be cut and synced, standard output, or nowhere. */
import { constants, existsSync } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { InputError } from './plan.ts'

export interface Output {
  /** Writes all of `bytes`. @throws the system's error */
  write(bytes: Uint8Array): Promise<void>
  /** What has been written survives a power cut. */
  sync(): Promise<void>
  close(): Promise<void>
}

export const NO_OUTPUT: Output = {
  write: async () => {},
  sync: async () => {},
  close: async () => {},
}

export const STANDARD_OUTPUT: Output = {
  write: bytes =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes, error => (error ? reject(error) : resolve()))
    }),
  sync: async () => {},
  close: async () => {},
}

/** Whether both paths lead to one file, by whatever links. False when one is missing. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map(path => stat(path).catch(() => undefined)))
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}

/** Whether there is something at `path` that takes bytes and keeps none to go on with: a device, a pipe. */
export async function isStream(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

/** The device or pipe at `path`: there is nothing to cut, to sync, or to replace. @throws the system's error */
export async function streamOutput(path: string): Promise<Output> {
  const file = await open(path, constants.O_WRONLY)
  return {
    async write(bytes) {
      for (let done = 0; done < bytes.length; )
        done += (await file.write(bytes, done, bytes.length - done, null)).bytesWritten
    },
    sync: async () => {},
    close: () => file.close(),
  }
}

/**
 * The file at `path`.
 * @param keep bytes of it that stay; undefined: a new file
 * @param overwrites whether a new file may replace one
 * @throws InputError when there is one and it must not be replaced, or it is shorter than `keep`
 */
export async function fileOutput(
  path: string,
  keep: number | undefined,
  overwrites: boolean,
): Promise<Output> {
  const flags = keep !== undefined ? 'r+' : overwrites ? 'w' : 'wx'
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    const remedy = existsSync(`${path}.progress`)
      ? ': --resume goes on with it, --overwrite begins again'
      : `, without the file ${path}.progress from which --resume could go on: --overwrite begins again`
    throw new InputError(`${path} is there already${remedy}`)
  })
  if (keep !== undefined) {
    await cut(file, path, keep).catch(async (error: unknown) => {
      await file.close()
      throw error
    })
  }
  let at = keep ?? 0
  return {
    async write(bytes) {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at)
        done += bytesWritten
        at += bytesWritten
      }
    },
    sync: () => file.datasync(),
    close: () => file.close(),
  }
}

async function cut(file: FileHandle, path: string, keep: number): Promise<void> {
  const { size } = await file.stat()
  if (size < keep) {
    throw new InputError(`${path} has ${size} bytes, ${keep} expected: begin again with --overwrite`)
  }
  await file.truncate(keep)
}
