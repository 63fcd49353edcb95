import type { FileLock, FileSystem, Mapping, OpenFile } from '../../../src/billing/ledger/disk/file-system.ts'
import type { Random } from '../../support/random.ts'
import { type Disk, Inode } from './simulated-disk.ts'

/** A process on a simulated disk. It dies at a chosen step: that call and all later ones hang. */
export class SimulatedProcess implements FileSystem {
  readonly death: Promise<void>
  steps = 0
  readonly #disk: Disk
  #diesAtStep: number
  readonly #random: Random | null
  #die: () => void = () => {}

  constructor(disk: Disk, diesAtStep = Number.POSITIVE_INFINITY, random: Random | null = null) {
    this.#disk = disk
    this.#diesAtStep = diesAtStep
    this.#random = random
    this.death = new Promise(resolve => {
      this.#die = resolve
    })
  }

  get dead(): boolean {
    return this.steps >= this.#diesAtStep
  }

  /** Dies now. Unfinished calls hang and are acknowledged to nobody. */
  kill(): void {
    this.#diesAtStep = 0
    this.#die()
  }

  makeFolder = (): Promise<void> => this.#step(() => {})
  list = (folder: string): Promise<string[]> => this.#step(() => this.#disk.list(folder))
  rename = (from: string, to: string): Promise<void> =>
    this.#step(() => {
      this.#disk.setName(to, this.#inode(from))
      this.#disk.setName(from, null)
    })
  remove = (path: string): Promise<void> => this.#step(() => this.#disk.setName(path, null))
  syncFolder = (): Promise<void> => this.#step(() => this.#disk.syncNames())
  /** No step of the disk: the kernel answers from memory. */
  identity = async (path: string): Promise<string | null> => {
    const inode = this.#disk.names.get(path)
    return inode === undefined ? null : String(inode.number)
  }
  bootId = async (): Promise<Buffer> => Buffer.alloc(16, `boot ${this.#disk.powerLosses}`)
  open = (path: string): Promise<OpenFile> => this.#step(() => this.#openFile(this.#inode(path)))

  create = (path: string): Promise<OpenFile> =>
    this.#step(() => {
      const inode = new Inode()
      this.#disk.setName(path, inode)
      return this.#openFile(inode)
    })

  map = (path: string, bytes: number): Mapping => {
    const buffer = this.#inode(path).map(bytes)
    return { buffer, handle: buffer, sync: () => this.#inode(path).sync(), close: () => {} }
  }

  lock = (): FileLock => ({ guards: [], release: () => {} })

  #openFile(inode: Inode): OpenFile {
    return {
      size: () => this.#step(() => inode.content().length),
      read: (target, position) =>
        this.#step(() => {
          const bytes = inode.content().subarray(position, position + target.length)
          target.set(bytes)
          return bytes.length
        }),
      write: (bytes, position) => this.#write(inode, bytes, position),
      sync: () => this.#step(() => inode.sync()),
      truncate: length => this.#step(() => inode.truncate(length)),
      close: () => this.#step(() => {}),
    }
  }

  /** A process that dies in a write may have written a part of it. */
  #write(inode: Inode, bytes: Uint8Array, position: number): Promise<number> {
    if (this.steps + 1 === this.#diesAtStep && this.#random !== null) {
      inode.write({ position, bytes: bytes.subarray(0, this.#random.below(bytes.length + 1)) })
    }
    return this.#step(() => {
      if (this.#disk.usedBytes() + bytes.length > this.#disk.bytesMax) {
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      }
      inode.write({ position, bytes })
      return bytes.length
    })
  }

  async #step<T>(act: () => T): Promise<T> {
    if (this.dead) return new Promise<T>(() => {})
    this.steps++
    if (this.#random !== null) this.#disk.rememberMappings()
    if (this.dead) {
      this.#die()
      return new Promise<T>(() => {})
    }
    return act()
  }

  #inode(path: string): Inode {
    const inode = this.#disk.names.get(path)
    if (inode === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
    return inode
  }
}

/** Returns `fs`, whose open files have some operations of `wrap`. */
export function withFiles(
  fs: FileSystem,
  wrap: (file: OpenFile, path: string) => Partial<OpenFile>,
): FileSystem {
  const wrapped = (file: OpenFile, path: string) => ({ ...file, ...wrap(file, path) })
  return {
    ...fs,
    open: async (path, access) => wrapped(await fs.open(path, access), path),
    create: async path => wrapped(await fs.create(path), path),
  }
}
