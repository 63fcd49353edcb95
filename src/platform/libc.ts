/** Calls of the C library that Node.js lacks. */
import { createRequire } from 'node:module'
import { constants } from 'node:os'

const PROT_READ = 1
const PROT_WRITE = 2
const MAP_SHARED = 1
const MAP_FIXED = 0x10
const MAP_PRIVATE_ANONYMOUS = 2 | (process.platform === 'linux' ? 0x20 : 0x1000)
const MADV_HUGEPAGE = 14
const MAP_FAILED = 2n ** 64n - 1n
const MS_SYNC = process.platform === 'linux' ? 4 : 16
const LOCK_EXCLUSIVE_NONBLOCKING = 2 | 4

/** An address, as koffi represents a `void *`. */
export type Pointer = bigint

type Access = 'read' | 'write'

/** Maps `bytes` of an open file, shared. The file may be closed afterwards. @throws Error with errno */
export function mmap(fd: number, bytes: number, access: Access): { address: Pointer; buffer: ArrayBuffer } {
  const address = map(null, bytes, access, MAP_SHARED, fd)
  return { address, buffer: viewAt(address, bytes) }
}

/** Maps `bytes` of an open file, shared, in place of the pages at `address`. @throws Error with errno */
export function mmapOver(address: Pointer, fd: number, bytes: number, access: Access): void {
  map(address, bytes, access, MAP_SHARED | MAP_FIXED, fd)
}

/** Puts zeroed memory of this process in place of the pages at `address`. @throws Error with errno */
export function mmapZerosOver(address: Pointer, bytes: number): void {
  map(address, bytes, 'write', MAP_PRIVATE_ANONYMOUS | MAP_FIXED, -1)
}

/** Allocates zeroed memory of this process, in huge pages if the system has them. @throws Error with errno */
export function mmapAnonymous(bytes: number): Pointer {
  const address = map(null, bytes, 'write', MAP_PRIVATE_ANONYMOUS, -1)
  // Without huge pages, a look-up in an index of the world takes a fifth longer. A refusal is ignored.
  if (process.platform === 'linux') libc().madviseCall(address, bytes, MADV_HUGEPAGE)
  return address
}

function map(at: Pointer | null, bytes: number, access: Access, flags: number, fd: number): Pointer {
  const protection = access === 'read' ? PROT_READ : PROT_READ | PROT_WRITE
  const address = libc().mmapCall(at, bytes, protection, flags, fd, 0) as Pointer
  if (address === MAP_FAILED) throw systemError('mmap')
  return address
}

/** Returns the memory of a mapping of any thread. It exists until `munmap`. */
export function viewAt(address: Pointer, bytes: number): ArrayBuffer {
  return libc().koffi.view(address, bytes)
}

/** Ends a mapping. Touching its buffer afterwards kills the process. */
export function munmap(address: Pointer, bytes: number): void {
  if (libc().munmapCall(address, bytes) !== 0) throw systemError('munmap')
}

/** Writes the pages of a mapping back and waits until they are on the disk. */
export function msync(address: Pointer, bytes: number): void {
  if (libc().msyncCall(address, bytes, MS_SYNC) !== 0) throw systemError('msync')
}

/** Takes the exclusive lock of an open file or folder. Returns false if another descriptor holds it. */
export function tryFlock(fd: number): boolean {
  const { koffi, flockCall } = libc()
  if (flockCall(fd, LOCK_EXCLUSIVE_NONBLOCKING) === 0) return true
  if (koffi.errno() === constants.errno.EWOULDBLOCK) return false
  throw systemError('flock')
}

export function addressOf(bytes: Uint8Array): number {
  // Copying nothing returns the address.
  return Number(libc().memcpyCall(bytes, bytes, 0))
}

/** Ends the process at once. Node.js would end a stuck thread by force, which aborts with open sockets. */
export function endNow(code: number): void {
  libc().exitCall(code)
}

let bound: ReturnType<typeof bind> | undefined

/** Binds at the first call: loading koffi costs milliseconds, and most commands do not need it. */
function libc(): ReturnType<typeof bind> {
  bound ??= bind()
  return bound
}

function bind() {
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi')
  const library = koffi.load(null)
  return {
    koffi,
    mmapCall: library.func(
      'void *mmap(void *address, size_t bytes, int protection, int flags, int fd, int64_t offset)',
    ),
    madviseCall: library.func('int madvise(void *address, size_t bytes, int advice)'),
    munmapCall: library.func('int munmap(void *address, size_t bytes)'),
    msyncCall: library.func('int msync(void *address, size_t bytes, int flags)'),
    exitCall: library.func('void _exit(int status)'),
    flockCall: library.func('int flock(int fd, int operation)'),
    memcpyCall: library.func('intptr_t memcpy(void *to, void *from, size_t bytes)'),
  }
}

function systemError(call: string): NodeJS.ErrnoException {
  const errno = libc().koffi.errno()
  const code = Object.entries(constants.errno).find(([, number]) => number === errno)?.[0] ?? `errno ${errno}`
  return Object.assign(new Error(`${code}: ${call} failed`), { code, errno, syscall: call })
}
