/** Reason why a ledger cannot be opened, read or proved, or why a tool refused. */
export type LedgerErrorCode =
  /** A file has other bytes than were written. */
  | 'DAMAGED'
  /** Another version wrote the files. */
  | 'OTHER_FORMAT'
  /** Another process has the folder. */
  | 'LOCKED'
  /** The system cannot read or write the folder. */
  | 'UNUSABLE'
  /** The folder must not be used or written in its present state. */
  | 'REFUSED'

/** First bytes of a file that are not sound. */
export interface Flaw {
  /** Offset of the frame; 0 for the header of the file. */
  frameOffset: number
  /** Offset of the wrong field. */
  offset: number
  found: string
  expected: string
}

export type Finding = { file: string; offset: number; found: string; expected: string; remedy: string }

export class LedgerError extends Error {
  readonly code: LedgerErrorCode
  readonly finding: Finding | null

  constructor(code: LedgerErrorCode, what: Finding | string, options?: ErrorOptions) {
    super(typeof what === 'string' ? what : sentence(what), options)
    this.name = 'LedgerError'
    this.code = code
    this.finding = typeof what === 'string' ? null : what
  }
}

export const REMEDY_RESTORE =
  'Restore the folder from a backup, or run `postrie ledger verify` to see how far the ledger is sound.'

export const REMEDY_METER =
  'Restore the folder from one backup. Or move the file `meter` away to start from the ledger alone. That loses ' +
  'only charges of the last moments before the last crash, in the customers’ favour.'

export function damage(
  file: string,
  offset: number,
  found: string,
  expected: string,
  remedy = REMEDY_RESTORE,
): LedgerError {
  return new LedgerError('DAMAGED', { file, offset, found, expected, remedy })
}

export function damageOf(file: string, { offset, found, expected }: Flaw): LedgerError {
  return damage(file, offset, found, expected)
}

/** Returns an error with a remedy for a failure of the system. Ledger errors pass through. */
export function unusable(folder: string, error: unknown): LedgerError {
  if (error instanceof LedgerError) return error
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException
  const remedy = REMEDIES[code] ?? 'Check the disk and the folder.'
  return new LedgerError('UNUSABLE', `${folder} cannot be used: ${message}. ${remedy}`, { cause: error })
}

function sentence({ file, offset, found, expected, remedy }: Finding): string {
  return `${file}, byte ${offset}: found ${found}, expected ${expected}. ${remedy}`
}

const REMEDIES: Record<string, string> = {
  ENOSPC: 'The disk is full. Free some space and start again.',
  EDQUOT: 'The disk quota is used up. Free some space and start again.',
  EACCES: 'Give the user of the service the right to read and write it.',
  EPERM: 'Give the user of the service the right to read and write it.',
  EROFS: 'It is on a read-only file system. Choose another DATA_DIR or mount it for writing.',
  EMFILE: 'The process has no file descriptor left. Raise its limit (`ulimit -n`) and start again.',
  ENFILE: 'The system has no file descriptor left. Close other programs and start again.',
  ELOOP:
    'A symbolic link is in the place of a file of the ledger. Find out who made it, remove it and start again.',
  EISDIR: 'It is a folder, expected a file. Find out who made it, move it away and start again.',
  ENOTDIR: 'It is a file, expected a folder. Find out who made it, move it away and start again.',
  EEXIST: 'It is a file, expected a folder. Find out who made it, move it away and start again.',
  WRITABLE_BY_ALL: 'Then start again.',
  EIO: 'The disk reports an error. Check it before you start again.',
}
