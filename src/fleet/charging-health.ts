/** Whether the threads of a node charge. Two things can suspend it, each on its own; a stop is final. */
import { HEALTH, HEALTHY, STALLED, STOPPED } from '../accounts/live/live-layout.ts'

export class ChargingHealth {
  /** The live state's header; null until it has been made. */
  #header: Int32Array | null = null
  #isJournalStalled = false
  #isFleetSilent = false
  #isStopped = false

  attach(header: Int32Array): void {
    this.#header = header
    this.#show()
  }

  /** The journal has waited too long for the disk, or goes on. */
  journalStalled(isStalled: boolean): void {
    this.#isJournalStalled = isStalled
    this.#show()
  }

  /** The database may have given up what this node holds, or is known not to have. */
  fleetSilent(isSilent: boolean): void {
    this.#isFleetSilent = isSilent
    this.#show()
  }

  stop(): void {
    this.#isStopped = true
    this.#show()
  }

  #show(): void {
    if (this.#header === null) return
    const isStalled = this.#isJournalStalled || this.#isFleetSilent
    this.#header[HEALTH] = this.#isStopped ? STOPPED : isStalled ? STALLED : HEALTHY
  }
}
