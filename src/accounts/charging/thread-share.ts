/** What a thread that charges and the ledger thread say to each other. Everything else is in the memory that they share. */
import type { MessagePort } from 'node:worker_threads'
import type { MeterHandle, MeterRows } from '../../ledger/meter/meter-rows.ts'
import type { LiveShare, LiveState } from '../live/live-state.ts'

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

/** `wake`: there is usage to move into the ledger. A number: the growth of this id is seen. */
export type FromThread = 'wake' | number

/** Follows the growth of what the ledger thread shares. Returns a function that ends this. */
export function listenToLedger(port: MessagePort, live: LiveState, rows: MeterRows): () => void {
  const follow = async ({ id, live: liveShare, meter }: Growth): Promise<void> => {
    await rows.follow(meter)
    live.adopt(liveShare)
    port.postMessage(id satisfies FromThread)
  }
  // One after the other: a second growth must not be overtaken by the first.
  let last = Promise.resolve()
  port.on('message', (growth: Growth) => {
    last = last.then(() => follow(growth))
  })
  port.unref()
  return () => port.close()
}
