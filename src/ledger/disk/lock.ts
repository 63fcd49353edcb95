import { LedgerError } from '../errors.ts'
import type { FileLock, FileSystem } from './file-system.ts'
import { LOCK_NAME } from './files.ts'

/** Takes the lock of the one writer. It ends with its process, however that dies. @throws LedgerError LOCKED */
export function lockLedger(fs: FileSystem, folder: string): FileLock {
  const lock = fs.lock(folder, LOCK_NAME)
  if (typeof lock !== 'string') return lock
  const holder = /^\d+$/.test(lock) ? `process ${lock}` : 'another process'
  throw new LedgerError('LOCKED', `${folder} is in use by ${holder}; only one process may write a ledger.`)
}

/** A failure of the system as an error that says what to do. Ledger errors pass through. */
export function unusable(folder: string, error: unknown): LedgerError {
  if (error instanceof LedgerError) return error
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException
  const remedy = REMEDIES[code] ?? 'Check the disk and the folder.'
  return new LedgerError('UNUSABLE', `${folder} cannot be used: ${message}. ${remedy}`, { cause: error })
}

const REMEDIES: Record<string, string> = {
  ENOSPC: 'The disk is full: free some space and start again.',
  EDQUOT: 'The disk quota is used up: free some space and start again.',
  EACCES: 'Give the user of the service the right to read and write it.',
  EPERM: 'Give the user of the service the right to read and write it.',
  EROFS: 'It is on a read-only file system: choose another DATA_DIR or mount it for writing.',
  EMFILE: 'The process has no file descriptor left: raise its limit (`ulimit -n`) and start again.',
  ENFILE: 'The system has no file descriptor left: close other programs and start again.',
  ELOOP:
    'A symbolic link stands where a file of the ledger belongs: find out who made it, remove it and start again.',
  WRITABLE_BY_ALL: 'Then start again.',
  EIO: 'The disk reports an error: check it before the service writes there again.',
}
