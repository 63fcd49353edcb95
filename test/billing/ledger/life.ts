import type { Accounts } from '../../../src/billing/accounts/accounts.ts'
import { USAGE_NAMES } from '../../../src/service/endpoints/table.ts'
import { authenticate, openAccounts } from '../../support/accounts.ts'
import type { Random } from '../../support/random.ts'
import type { Expectation, ExpectedKey } from './expectation.ts'
import type { Disk } from './simulated-disk.ts'
import { SimulatedProcess } from './simulated-process.ts'
import type { TestClock } from './test-clock.ts'

export const FLUSH_MS = 5
/** Small limits: a few commands outgrow segments and the meter. */
export const SMALL = {
  dir: '/data',
  flushMs: FLUSH_MS,
  segmentBytesMax: 600,
  segmentsKept: 1,
  accountsMax: 500,
  keysMax: 500,
}

export class Life {
  readonly #process: SimulatedProcess
  readonly #clock: TestClock
  readonly #random: Random
  readonly #expected: Expectation
  /** Prefix of names in this life's commands. No other life has it. */
  readonly #name: string
  #counter = 0

  constructor(disk: Disk, clock: TestClock, random: Random, expected: Expectation, name: string) {
    this.#process = new SimulatedProcess(disk, 1 + random.below(random.pick([12, 40, 150])), random)
    this.#clock = clock
    this.#random = random
    this.#expected = expected
    this.#name = name
  }

  /** Runs up to 60 acts, or until the disk kills the process. Returns the moment of death. */
  async run(): Promise<number> {
    let deathMs = Number.POSITIVE_INFINITY
    this.#process.death.then(() => {
      deathMs = this.#clock.monotonicMs()
    })
    await this.#live()
    this.#clock.forgetTimers()
    // A life that ends before its step must not go on after the power is gone.
    if (!this.#process.dead) this.#process.kill()
    return Math.min(deathMs, this.#clock.monotonicMs())
  }

  async #live(): Promise<void> {
    const opened = openAccounts({ ...SMALL, fs: this.#process, clock: this.#clock })
    const accounts = await Promise.race([opened, this.#process.death])
    if (accounts === undefined) return
    for (let act = 0; act < 60 && !this.#process.dead; act++) await this.#act(accounts)
    if (!this.#process.dead && this.#random.chance(0.5))
      await Promise.race([accounts.close(), this.#process.death])
    this.#clock.forgetTimers()
  }

  async #act(accounts: Accounts): Promise<void> {
    const { emails, keys } = this.#expected
    const email = this.#random.pick([...emails])
    const key = this.#random.pick(keys)
    const choice = this.#random.below(20)
    if (choice < 2 || email === undefined) this.#background(this.#createAccount(accounts))
    else if (choice < 4 || key === undefined) this.#background(this.#createKey(accounts, email))
    else if (choice < 6) this.#background(this.#move(accounts, email, 'payment'))
    else if (choice < 7) this.#background(this.#move(accounts, email, 'refund'))
    else if (choice < 8) this.#background(this.#revoke(accounts, key))
    else if (choice < 11) await this.#pass()
    else await this.#charge(accounts, key)
    if (this.#random.chance(0.3)) await settleDisk()
  }

  async #createAccount(accounts: Accounts): Promise<void> {
    const email = `${this.#name}-${this.#next()}@example.org`
    await accounts.createAccount({ email, freeCredit: this.#random.chance(0.5) })
    this.#expected.emails.add(email)
  }

  async #createKey(accounts: Accounts, email: string): Promise<void> {
    const { secret } = await accounts.createKey(email)
    const charges: ExpectedKey['charges'] = []
    const before = USAGE_NAMES.map(() => 0)
    const revoked = { mayBeRevoked: false, mustBeRevoked: false }
    this.#expected.keys.push({ secret, email, ...revoked, charges, before })
  }

  async #move(accounts: Accounts, email: string, kind: 'payment' | 'refund'): Promise<void> {
    const micros = 1 + this.#random.below(10_000)
    const reference = `${this.#name}-${this.#next()}`
    const expected = { email, micros: kind === 'refund' ? -micros : micros, certain: false }
    this.#expected.credits.set(reference, expected)
    const moved = { account: email, micros, reference }
    await (kind === 'refund' ? accounts.adjust({ ...moved, kind }) : accounts.credit({ ...moved, kind }))
    expected.certain = true
  }

  async #revoke(accounts: Accounts, key: ExpectedKey): Promise<void> {
    const live = authenticate(accounts, key.secret)
    if (live === undefined) return
    key.mayBeRevoked = true
    await accounts.revokeKey(accounts.viewOf(live).id)
    key.mustBeRevoked = true
  }

  async #charge(accounts: Accounts, key: ExpectedKey): Promise<void> {
    const live = authenticate(accounts, key.secret)
    if (live === undefined) return
    for (let index = this.#random.below(6); index >= 0; index--) {
      const usage = this.#random.below(USAGE_NAMES.length)
      const queries = 1 + this.#random.below(3)
      if (accounts.charging.charge(live, usage, queries) === null)
        key.charges.push({ atMs: this.#clock.monotonicMs(), usage, queries })
      // One turn of the microtask queue lets the disk take a few steps.
      await null
    }
  }

  /** Lets time pass only while the disk is idle, so that the disk's work takes no time. */
  async #pass(): Promise<void> {
    for (let ms = this.#random.below(2 * FLUSH_MS); ms >= 0; ms--) {
      await settleDisk()
      if (ms > 0) this.#clock.advance(1)
    }
  }

  /** Starts a command and does not wait. After death the command never ends. A refusal is a valid answer. */
  #background(command: Promise<void>): void {
    command.catch(error => {
      if (error.name !== 'AccountError') throw error
    })
  }

  #next(): number {
    this.#counter++
    return this.#counter
  }
}

/** Lets everything run that waits only for the simulated disk. */
export function settleDisk(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
