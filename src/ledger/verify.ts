/** Proves every balance from the ledger's own bytes. Reads all of it; the ledger may be in use. */

export interface VerifyReport {
  status: 'sound' | 'torn' | 'damaged'
  /** Frames and entries read, and the first and last sequence number. */
  frames: number
  firstSequence: number
  lastSequence: number
  segments: number
  /** Sequence number of the snapshot that the proof starts from; 0: from the beginning. */
  snapshotSequence: number
  accounts: number
  keys: number
  creditedMicros: number
  spentMicros: number
  balanceMicros: number
  /** One sentence each, with file, offset, what was found and expected, and the remedy. */
  problems: string[]
}

/** Checks chain, sequence, signs of all prefixes and all sums. Cost: about a second per million entries. */
export function verifyLedger(_dir: string): Promise<VerifyReport> {
  throw new Error('not yet')
}
