import type { MessagePort } from 'node:worker_threads'
import type { Wanted } from '../types.ts'
import type { FromThread, LeaseSettled } from './thread-share.ts'

/** Requests of one thread that wait until the ledger thread has leased more. Whoever holds them bounds their number. */
export class LeaseRequests {
  readonly #port: MessagePort
  readonly #waiting = new Map<number, (isWorthIt: boolean) => void>()
  #last = 0

  constructor(port: MessagePort) {
    this.#port = port
  }

  /** As `Meter.lease`. */
  readonly lease = (wanted: Wanted, msMax: number): Promise<boolean> =>
    new Promise(resolve => {
      const lease = ++this.#last
      this.#waiting.set(lease, resolve)
      this.#port.postMessage({ lease, wanted, msMax } satisfies FromThread)
    })

  /** The ledger thread answers each request once, in time. */
  readonly settled = ({ lease, isWorthIt }: LeaseSettled): void => {
    this.#waiting.get(lease)?.(isWorthIt)
    this.#waiting.delete(lease)
  }
}
