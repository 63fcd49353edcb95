/** The calls of the C library that Node.js lacks. The only file that knows koffi. */
import { createRequire } from 'node:module'
import { constants } from 'node:os'

const PROT_READ = 1
const PROT_WRITE = 2
/** The same on Linux, macOS and the BSDs, except for MS_SYNC. */
const MAP_SHARED = 1
const MAP_FIXED = 0x10
const MAP_PRIVATE_ANONYMOUS = 2 | (process.platform === 'linux' ? 0x20 : 0x1000)
const MADV_HUGEPAGE = 14
const MAP_FAILED = 2n ** 64n - 1n
const MS_SYNC = process.platform === 'linux' ? 4 : 16
const LOCK_EXCLUSIVE_NONBLOCKING = 2 | 4
/** As Linux numbers them. */

/** An address, as koffi represents a `void *`. */
export type Address = bigint

export interface Mapped {
  address: Address
  buffer: ArrayBuffer
}

/** Maps `bytes` of an open file, shared. The file may be closed afterwards. @throws Error with errno */
export function mmap(fd: number, bytes: number, access: 'read' | 'write'): Mapped {
  const { koffi, mmapCall } = libc()
  const protection = access === 'read' ? PROT_READ : PROT_READ | PROT_WRITE
  const address = mmapCall(null, bytes, protection, MAP_SHARED, fd, 0) as Address
  if (address === MAP_FAILED) throw systemError('mmap')
  return { address, buffer: koffi.view(address, bytes) }
}

/** Maps `bytes` of an open file, shared, in place of the pages at `address`. The file may be closed afterwards. @throws Error with errno */
export function mmapOver(address: Address, fd: number, bytes: number, access: 'read' | 'write'): void {
  const protection = access === 'read' ? PROT_READ : PROT_READ | PROT_WRITE
  if (libc().mmapCall(address, bytes, protection, MAP_SHARED | MAP_FIXED, fd, 0) === MAP_FAILED)
    throw systemError('mmap')
}

/** Puts zeroed memory of this process in place of the pages at `address`, such as those of `mmapOver`. @throws Error with errno */
export function mmapZerosOver(address: Address, bytes: number): void {
  const flags = MAP_PRIVATE_ANONYMOUS | MAP_FIXED
  if (libc().mmapCall(address, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) === MAP_FAILED)
    throw systemError('mmap')
}

/** Memory of this process alone, zeroed and writable, in huge pages where the system has them. @throws Error with errno */
export function mmapAnonymous(bytes: number): Address {
  const address = libc().mmapCall(
    null,
    bytes,
    PROT_READ | PROT_WRITE,
    MAP_PRIVATE_ANONYMOUS,
    -1,
    0,
  ) as Address
  if (address === MAP_FAILED) throw systemError('mmap')
  // Without them, a look-up in an index of the world takes a fifth longer. A refusal changes nothing else.
  if (process.platform === 'linux') libc().madviseCall(address, bytes, MADV_HUGEPAGE)
  return address
}

/** The memory of a mapping that this or another thread has made, and that exists until `munmap`. */
export function viewAt(address: Address, bytes: number): ArrayBuffer {
  return libc().koffi.view(address, bytes)
}

/** As `munmap`, but on a thread of koffi: freeing 60 MB takes 1 to 5 ms. Resolves when it is done. */
export function munmapLater(address: Address, bytes: number): Promise<void> {
  const { munmapCall } = libc()
  return new Promise((resolve, reject) => {
    munmapCall.async(address, bytes, (error: Error | null, result: number) => {
      if (error === null && result === 0) resolve()
      else reject(error ?? new Error('munmap failed'))
    })
  })
}

/** Ends a mapping. Touching its buffer afterwards kills the process. */
export function munmap(address: Address, bytes: number): void {
  if (libc().munmapCall(address, bytes) !== 0) throw systemError('munmap')
}

/** Writes the pages of a mapping back and waits until they are on the disk. */
export function msync(address: Address, bytes: number): void {
  if (libc().msyncCall(address, bytes, MS_SYNC) !== 0) throw systemError('msync')
}

/** Takes the exclusive lock of an open file or folder, or returns false when another descriptor holds it. */
export function tryFlock(fd: number): boolean {
  const { koffi, flockCall } = libc()
  if (flockCall(fd, LOCK_EXCLUSIVE_NONBLOCKING) === 0) return true
  if (koffi.errno() === constants.errno.EWOULDBLOCK) return false
  throw systemError('flock')
}

export function addressOf(bytes: Uint8Array): number {
  // Copying nothing returns the address, in a tenth of a microsecond.
  return Number(libc().memcpyCall(bytes, bytes, 0))
}

/**
 * Ends the process at once with an exit code, without running anything: for when a thread does not end. Node.js would end that
 * thread by force, which aborts the process while its sockets are open. What is in mapped files stays.
 */
export function endNow(code: number): void {
  libc().exitCall(code)
}

/**
 * Loads koffi, for programs that will need it and would rather wait while they start. Says nothing when that fails: the call that needs
 * it does.
 */
export function loadEarly(): void {
  try {
    libc()
  } catch {
    // Where koffi has no binary, an index can still be opened from a buffer.
  }
}

let bound: ReturnType<typeof bind> | undefined

/** Bound at the first call and not at import: loading koffi costs milliseconds, which most commands do not need. */
function libc(): ReturnType<typeof bind> {
  bound ??= bind()
  return bound
}

function loadKoffi(): typeof import('koffi') {
  return createRequire(import.meta.url)('koffi') as typeof import('koffi')
}

function bind() {
  const koffi = loadKoffi()
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
