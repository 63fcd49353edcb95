/** What a thread that charges and the ledger thread say to each other. Everything else is in the memory that they share. */
import type { MessagePort } from 'node:worker_threads'
import type { MeterHandle, MeterRows } from '../../ledger/meter/meter-rows.ts'
import type { LiveShare, LiveState } from '../live/live-state.ts'
import type { Wanted } from '../types.ts'

/** What a thread needs to charge, by structured clone. */
export interface ThreadShare {
  thread: number
  freeAnswersMax: number
  live: LiveShare
  meter: MeterHandle
  /** Distance between the wall clock and the monotonic clock. */
  offsetMs: Float64Array
}

/** Memory that has grown. The thread confirms `id` once it sees all of it. */
export interface Growth {
  id: number
  live: LiveShare
  meter: MeterHandle
}

/** A thread of a fleet's node waits for a lease, at most so long. */
export interface LeaseWanted {
  /** Counted by the thread. */
  lease: number
  wanted: Wanted
  msMax: number
}

export interface LeaseSettled {
  lease: number
  /** Whether to try the request again. */
  isWorthIt: boolean
}

/** `wake`: there is usage to move into the ledger. A number: the growth of this id is seen. */
export type FromThread = 'wake' | number | LeaseWanted
export type ToThread = Growth | LeaseSettled

/** Follows the growth of what the ledger thread shares. `onSettled` is called for each lease. Returns a function that ends this. */
export function listenToLedger(
  port: MessagePort,
  live: LiveState,
  rows: MeterRows,
  onSettled: (settled: LeaseSettled) => void,
): () => void {
  const follow = async ({ id, live: liveShare, meter }: Growth): Promise<void> => {
    await rows.follow(meter)
    live.adopt(liveShare)
    port.postMessage(id satisfies FromThread)
  }
  // One after the other: a second growth must not be overtaken by the first.
  let last = Promise.resolve()
  port.on('message', (message: ToThread) => {
    if ('lease' in message) return onSettled(message)
    last = last.then(() => follow(message))
  })
  port.unref()
  return () => port.close()
}
