/**
 * A disk in memory that can lose power. Writes, names and mapped stores are volatile until they are synced. `losePower` keeps, drops,
 * tears and reorders unsynced changes by seed.
 */
import { basename, dirname } from 'node:path'
import type { Random } from '../../support/random.ts'

const SECTOR_BYTES = 512
/** Mapped memory reaches the disk in whole cache lines. */
const LINE_BYTES = 64

export type Write = { position: number; bytes: Uint8Array }

/** Content of a file: as processes see it, and as it survives a loss of power. */
export class Inode {
  static #count = 0
  /** Identity of the file, independent of its names. */
  readonly number = ++Inode.#count
  live = new Uint8Array(0)
  durable = new Uint8Array(0)
  unsynced: (Write | number)[] = []
  mapped: Uint8Array | null = null
  #pages: SharedArrayBuffer | null = null
  /** Earlier states of the mapping. The disk may have any line of any state. */
  #versions: Uint8Array[] = []

  content(): Uint8Array {
    if (this.mapped !== null) this.live.set(this.mapped.subarray(0, this.live.length))
    return this.live
  }

  write({ position, bytes }: Write): void {
    this.live = patch(this.content(), position, bytes)
    // A file may outgrow the mapping of an earlier process.
    if (this.mapped !== null && position < this.mapped.length)
      this.mapped.set(bytes.subarray(0, this.mapped.length - position), position)
    this.unsynced.push({ position, bytes: bytes.slice() })
  }

  truncate(length: number): void {
    this.live = this.content().slice(0, length)
    this.unsynced.push(length)
  }

  sync(): void {
    this.durable = this.content().slice()
    this.unsynced = []
    this.#versions = []
  }

  /** Returns the same pages to every process, as the kernel does. The room beyond its end is for later writes. */
  map(bytes: number): SharedArrayBuffer {
    const content = this.content()
    if (this.#pages === null || this.#pages.byteLength < bytes) this.#pages = new SharedArrayBuffer(bytes)
    this.mapped = new Uint8Array(this.#pages)
    this.mapped.set(content)
    return this.#pages
  }

  /** Saves the present mapping. */
  remember(): void {
    if (this.mapped !== null) this.#versions.push(this.content().slice())
  }

  losePower(random: Random, keep: number): void {
    let bytes = this.durable.slice()
    for (const change of this.unsynced) {
      if (typeof change === 'number') bytes = random.chance(keep) ? bytes.slice(0, change) : bytes
      else bytes = tornWrite(bytes, change, random, keep)
    }
    if (this.mapped !== null) this.#losePages(bytes, random)
    this.mapped = null
    this.#pages = null
    this.live = bytes
    this.sync()
  }

  #losePages(bytes: Uint8Array, random: Random): void {
    const versions = [...this.#versions, this.content().slice()]
    for (let line = 0; line < bytes.length; line += LINE_BYTES) {
      const version = versions[random.below(versions.length + 1)]
      if (version !== undefined && line < version.length)
        bytes.set(version.subarray(line, line + LINE_BYTES), line)
    }
  }
}

export class Disk {
  names = new Map<string, Inode>()
  #durableNames = new Map<string, Inode>()
  /** Bytes that fit. A write beyond them fails with ENOSPC. */
  bytesMax = Number.POSITIVE_INFINITY
  powerLosses = 0

  /** Changes a name; null removes it. */
  setName(path: string, inode: Inode | null): void {
    if (inode === null) this.names.delete(path)
    else this.names.set(path, inode)
  }

  list(folder: string): string[] {
    return [...this.names.keys()]
      .filter(path => dirname(path) === folder)
      .map(path => basename(path))
      .sort()
  }

  syncNames(): void {
    this.#durableNames = new Map(this.names)
  }

  rememberMappings(): void {
    for (const inode of this.names.values()) inode.remember()
  }

  /** Ends all processes. The kernel's state stays. */
  kill(): void {
    for (const inode of this.names.values()) {
      inode.content()
      inode.remember()
    }
  }

  /** Keeps or drops each unsynced change of a name, and keeps, drops or tears each unsynced write. */
  losePower(random: Random): void {
    this.powerLosses++
    const keep = random.pick([0, 0.5, 0.9, 1])
    const names = new Map(this.#durableNames)
    for (const path of new Set([...this.names.keys(), ...names.keys()])) {
      if (!random.chance(keep)) continue
      const inode = this.names.get(path)
      if (inode === undefined) names.delete(path)
      else names.set(path, inode)
    }
    this.names = names
    for (const inode of new Set(names.values())) inode.losePower(random, keep)
    this.syncNames()
  }

  usedBytes(): number {
    let bytes = 0
    for (const inode of this.names.values()) bytes += inode.live.length
    return bytes
  }
}

/** Applies a write sector by sector. A dropped sector stays as it was, or is zero beyond the end. */
function tornWrite(before: Uint8Array, write: Write, random: Random, keep: number): Uint8Array<ArrayBuffer> {
  let bytes = patch(before, 0, new Uint8Array(0))
  let start = 0
  while (start < write.bytes.length) {
    const position = write.position + start
    const end = Math.min(write.bytes.length, start + SECTOR_BYTES - (position % SECTOR_BYTES))
    if (random.chance(keep)) bytes = patch(bytes, position, write.bytes.subarray(start, end))
    start = end
  }
  return bytes
}

function patch(before: Uint8Array, position: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const after = new Uint8Array(Math.max(before.length, position + bytes.length))
  after.set(before)
  after.set(bytes, position)
  return after
}

/** Copies a disk's files as processes see them, so that a test can change them. */
export type Files = Map<string, Uint8Array>

export function filesOf(disk: Disk): Files {
  return new Map([...disk.names].map(([path, inode]) => [path, inode.content().slice()]))
}

export function diskOf(files: Files): Disk {
  const disk = new Disk()
  for (const [path, bytes] of files) {
    const inode = new Inode()
    inode.write({ position: 0, bytes })
    inode.sync()
    disk.setName(path, inode)
  }
  disk.syncNames()
  return disk
}
