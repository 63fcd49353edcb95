/** Spans of the ledger's writes and syncs, on the ledger thread. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { SYNC_CHANNEL_NAME, type SyncSpan } from '../platform/sync-channel.ts'

/**
 * Makes spans of the share of syncs that is to be traced, from now on.
 * @param share 0 to 1
 * @returns ends it
 */
export function traceSyncs(share: number, random: () => number = Math.random): () => void {
  const tracer = trace.getTracer('postrie')
  const follow = (message: unknown) => {
    if (random() >= share) return
    const { tookMs } = message as SyncSpan
    const endedMs = Date.now()
    tracer.startSpan('ledger sync', { startTime: endedMs - tookMs }, ROOT_CONTEXT).end(endedMs)
  }
  subscribe(SYNC_CHANNEL_NAME, follow)
  return () => void unsubscribe(SYNC_CHANNEL_NAME, follow)
}
