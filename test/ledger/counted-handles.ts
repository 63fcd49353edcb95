import type { FileSystem, OpenFile } from '../../src/ledger/disk/file-system.ts'
import { systemError } from './faulty-file-system.ts'

/**
 * A file system that knows what is open: files, folders, mappings and locks. One call fails: the `failsAt`-th of those that
 * can. A close that fails has closed its file all the same, as Linux does.
 */
export class CountedHandles {
  readonly fs: FileSystem
  /** Paths of what is open. */
  readonly open: string[] = []
  /** What failed. */
  failed: string | null = null
  #calls = 0

  constructor(fs: FileSystem, failsAt: number) {
    const fail = (what: string): void => {
      if (++this.#calls !== failsAt) return
      this.failed = what
      throw systemError('EIO')
    }
    const opened = (path: string) => {
      this.open.push(path)
      return (): void => {
        this.open.splice(this.open.indexOf(path), 1)
      }
    }
    /** `act`, which fails when its turn has come. */
    const tried =
      <P extends unknown[], R>(what: string, act: (...parameters: P) => Promise<R>) =>
      async (...parameters: P): Promise<R> => {
        fail(what)
        return act(...parameters)
      }
    const closing = (path: string, inner: { close(): Promise<void> }) => {
      const closed = opened(path)
      return async (): Promise<void> => {
        closed()
        fail(`close ${path}`)
        await inner.close()
      }
    }
    const file = (path: string, inner: OpenFile): OpenFile => ({
      size: tried(`size ${path}`, inner.size),
      read: tried(`read ${path}`, inner.read),
      write: tried(`write ${path}`, inner.write),
      sync: tried(`sync ${path}`, inner.sync),
      truncate: tried(`truncate ${path}`, inner.truncate),
      close: closing(path, inner),
    })
    this.fs = {
      makeFolder: tried('makeFolder', fs.makeFolder),
      list: tried('list', fs.list),
      open: tried('open', async (path, access) => file(path, await fs.open(path, access))),
      create: tried('create', async path => file(path, await fs.create(path))),
      rename: tried('rename', fs.rename),
      remove: tried('remove', fs.remove),
      identity: tried('identity', fs.identity),
      openFolder: tried('openFolder', async path => {
        const folder = await fs.openFolder(path)
        return { sync: tried(`sync ${path}`, folder.sync), close: closing(path, folder) }
      }),
      map: (path, bytes) => {
        fail(`map ${path}`)
        const mapping = fs.map(path, bytes)
        const closed = opened(`mapping of ${path}`)
        const close = (): void => {
          closed()
          mapping.close()
        }
        const sync = (): void => {
          fail(`msync ${path}`)
          mapping.sync()
        }
        return { ...mapping, sync, close }
      },
      lock: (folder, name) => {
        const lock = fs.lock(folder, name)
        if (typeof lock === 'string') return lock
        const closed = opened(`lock of ${folder}`)
        const release = (): void => {
          closed()
          lock.release()
        }
        return { ...lock, release }
      },
    }
  }
}
