/** Keeps the sums of all accounts for some minutes: adding them up again at each page would take a second of a large service. */
import { setTimeout } from 'node:timers/promises'
import type { ServiceUsage } from '../../accounts/views.ts'

/** How old sums may be before they are added up again. */
const FRESH_MS = 5 * 60_000
/** How long the page waits for them that has them added up; another one does not. */
const WAIT_MS = 300
/** What adding up may take and still be done at each page. */
const QUICK_MS = 10

export class UsageKeeper {
  readonly #addUp: () => Promise<ServiceUsage>
  #known: ServiceUsage | null = null
  #adding: Promise<ServiceUsage> | null = null
  #tookMs = 0
  #atMs = 0

  constructor(addUp: () => Promise<ServiceUsage>) {
    this.#addUp = addUp
  }

  /** The sums as they were at most some minutes ago; null while they are added up for the first time and that takes long. */
  async get(): Promise<ServiceUsage | null> {
    const freshMs = this.#tookMs <= QUICK_MS ? 0 : FRESH_MS
    if (this.#known !== null && performance.now() - this.#atMs < freshMs) return this.#known
    const isFirst = this.#adding === null
    const adding = this.#renewed()
    if (this.#known !== null && this.#tookMs > QUICK_MS) return this.#known
    return Promise.race([adding, setTimeout(isFirst ? WAIT_MS : 0, null)])
  }

  #renewed(): Promise<ServiceUsage> {
    this.#adding ??= this.#renew().finally(() => {
      this.#adding = null
    })
    // Those who do not wait for it need not hear of a failure: the next page tries again.
    this.#adding.catch(() => {})
    return this.#adding
  }

  async #renew(): Promise<ServiceUsage> {
    const startedMs = performance.now()
    const usage = await this.#addUp()
    this.#atMs = performance.now()
    this.#tookMs = this.#atMs - startedMs
    this.#known = usage
    return usage
  }
}
