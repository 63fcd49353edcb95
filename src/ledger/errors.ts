/** Why a ledger cannot be opened, read or proved, or why a tool refused to touch it. */
export type LedgerErrorCode = 'DAMAGED' | 'NEWER_FORMAT' | 'LOCKED' | 'UNUSABLE' | 'REFUSED'

/** What is wrong where, and what to do about it. */
export interface Finding {
  file: string
  /** Byte offset in the file. */
  offset: number
  found: string
  expected: string
  remedy: string
}

/** A ledger that must not be used as it is. The message carries the whole finding. */
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

function sentence(finding: Finding): string {
  const { file, offset, found, expected, remedy } = finding
  return `${file}, byte ${offset}: found ${found}, expected ${expected}. ${remedy}`
}

export const REMEDY_RESTORE =
  'Restore the folder from a backup, or ask `postrie ledger verify` how far the ledger is sound.'
