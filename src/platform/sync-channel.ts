/** Where each write and sync of the ledger is announced, for the traces. Costs one comparison while nobody follows. */
import { channel } from 'node:diagnostics_channel'

export const SYNC_CHANNEL_NAME = 'postrie:ledger-sync'

export interface SyncSpan {
  tookMs: number
}

const syncs = channel(SYNC_CHANNEL_NAME)

/** A batch has just been written and synced. */
export function announceSync(tookMs: number): void {
  if (syncs.hasSubscribers) syncs.publish({ tookMs } satisfies SyncSpan)
}
