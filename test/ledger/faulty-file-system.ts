import type { FileSystem, OpenFile } from '../../src/ledger/disk/file-system.ts'

/** What the disk does to one call: an error to throw, or a number of bytes that it writes at most. */
export type Fault = { on: 'write' | 'sync'; error: NodeJS.ErrnoException } | { on: 'write'; bytesMax: number }

/** A file system whose files answer writes and syncs as `fault` says at that moment. */
export function faulty(fs: FileSystem, fault: () => Fault | null): FileSystem {
  const wrap = (file: OpenFile): OpenFile => ({
    ...file,
    write: async (bytes, position) => {
      const now = fault()
      if (now?.on === 'write' && 'error' in now) throw now.error
      if (now?.on === 'write' && 'bytesMax' in now)
        return file.write(bytes.subarray(0, now.bytesMax), position)
      return file.write(bytes, position)
    },
    sync: async () => {
      const now = fault()
      if (now?.on === 'sync') throw now.error
      return file.sync()
    },
  })
  return {
    ...fs,
    open: async (path, access) => wrap(await fs.open(path, access)),
    create: async path => wrap(await fs.create(path)),
  }
}

export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: the disk says so`), { code })
}
