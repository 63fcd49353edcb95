export interface CompactReport {
  snapshotSequence: number
  removedSegments: number
  removedBytes: number
  keptSegments: number
}

/** Writes a snapshot and removes the segments that it covers. Takes the lock: the service must not be running. */
export function compactLedger(_dir: string): Promise<CompactReport> {
  throw new Error('not yet')
}
