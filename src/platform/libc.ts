/** The three calls of the C library that Node.js has no word for. The only file of the ledger that knows koffi. */
import { constants } from 'node:os'
import koffi from 'koffi'

const libc = koffi.load(null)
const mmapCall = libc.func(
  'void *mmap(void *address, size_t bytes, int protection, int flags, int fd, int64_t offset)',
)
const madviseCall = libc.func('int madvise(void *address, size_t bytes, int advice)')
const munmapCall = libc.func('int munmap(void *address, size_t bytes)')
const msyncCall = libc.func('int msync(void *address, size_t bytes, int flags)')
const flockCall = libc.func('int flock(int fd, int operation)')

/** The same on Linux, macOS and the BSDs, except for MS_SYNC. */
const PROT_READ_WRITE = 3
const MAP_SHARED = 1
const MAP_PRIVATE_ANONYMOUS = 2 | (process.platform === 'linux' ? 0x20 : 0x1000)
const MADV_HUGEPAGE = 14
const MAP_FAILED = 2n ** 64n - 1n
const MS_SYNC = process.platform === 'linux' ? 4 : 16
const LOCK_EXCLUSIVE_NONBLOCKING = 2 | 4

/** An address; what koffi makes of a `void *`. */
export type Address = bigint

/** Maps `bytes` of an open file, shared and writable. The file may be closed afterwards. @throws Error with errno */
export function mmap(fd: number, bytes: number): { address: Address; buffer: ArrayBuffer } {
  const address = mmapCall(null, bytes, PROT_READ_WRITE, MAP_SHARED, fd, 0) as Address
  if (address === MAP_FAILED) throw systemError('mmap')
  return { address, buffer: koffi.view(address, bytes) }
}

/** Memory of this process alone, zeroed and writable, in huge pages where the system has them. @throws Error with errno */
export function mmapAnonymous(bytes: number): Address {
  const address = mmapCall(null, bytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0) as Address
  if (address === MAP_FAILED) throw systemError('mmap')
  // Without them, a look-up in an index of the world takes a fifth longer. A refusal changes nothing else.
  if (process.platform === 'linux') madviseCall(address, bytes, MADV_HUGEPAGE)
  return address
}

/** The memory of a mapping that this or another thread has made, and that exists until `munmap`. */
export function viewAt(address: Address, bytes: number): ArrayBuffer {
  return koffi.view(address, bytes)
}

/** As `munmap`, but on a thread of koffi: freeing 60 MB takes 1 to 5 ms. Resolves when it is done. */
export function munmapLater(address: Address, bytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    munmapCall.async(address, bytes, (error: Error | null, result: number) => {
      if (error === null && result === 0) resolve()
      else reject(error ?? new Error('munmap failed'))
    })
  })
}

/** Ends a mapping. Touching its buffer afterwards kills the process. */
export function munmap(address: Address, bytes: number): void {
  if (munmapCall(address, bytes) !== 0) throw systemError('munmap')
}

/** Writes the pages of a mapping back and waits until they are. */
export function msync(address: Address, bytes: number): void {
  if (msyncCall(address, bytes, MS_SYNC) !== 0) throw systemError('msync')
}

/** Takes the exclusive lock of an open file, or returns false when another open file holds it. */
export function tryFlock(fd: number): boolean {
  if (flockCall(fd, LOCK_EXCLUSIVE_NONBLOCKING) === 0) return true
  const { EWOULDBLOCK } = constants.errno
  if (koffi.errno() === EWOULDBLOCK) return false
  throw systemError('flock')
}

function systemError(call: string): NodeJS.ErrnoException {
  const errno = koffi.errno()
  const code = Object.entries(constants.errno).find(([, number]) => number === errno)?.[0] ?? `errno ${errno}`
  return Object.assign(new Error(`${code}: ${call} failed`), { code, errno, syscall: call })
}
