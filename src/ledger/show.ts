/** The ledger's entries, one by one, for a table or a script. */

export interface ShowFilter {
  /** Account id. */
  account?: string
  /** Key id. */
  key?: string
  fromMs?: number
  toMs?: number
}

export interface LedgerEntry {
  sequence: number
  timeMs: number
  epoch: number
  kind: string
  /** Ids, where the entry concerns an account or a key. */
  account: string | null
  key: string | null
  /** Signed effect on the balance. */
  micros: number
  /** The rest of the event, as stored. */
  details: Record<string, unknown>
}

/** Entries in the order of the ledger. Reads segment by segment; memory is that of the list of accounts and keys. */
export function showLedger(_dir: string, _filter: ShowFilter = {}): AsyncGenerator<LedgerEntry> {
  throw new Error('not yet')
}
