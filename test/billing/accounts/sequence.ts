import assert from 'node:assert/strict'
import type { Accounts } from '../../../src/billing/accounts/accounts.ts'
import type { RateLimits } from '../../../src/billing/ledger/event.ts'
import { NEW_ACCOUNT_CREDIT_MICROS } from '../../../src/billing/money.ts'
import { FLUSH_MS_DEFAULT } from '../../../src/platform/limits.ts'
import { USAGE_NAMES } from '../../../src/service/endpoints/table.ts'
import { authenticate, openAccounts } from '../../support/accounts.ts'
import { type Random, seededChoices } from '../../support/random.ts'
import { chargeAsServed, idOf } from '../ledger/expectation.ts'
import { Disk } from '../ledger/simulated-disk.ts'
import { SimulatedProcess } from '../ledger/simulated-process.ts'
import { TestClock } from '../ledger/test-clock.ts'
import { countIn, ModelAccount, ModelKey } from './model.ts'

const OPTIONS = { dir: '/data', segmentBytesMax: 2000, accountsMax: 20, keysMax: 60 }
const HOUR_MS = 3_600_000

/** Runs random commands, charges, restarts and clock changes, and compares each answer with the model. */
export async function runSeed(seed: number): Promise<void> {
  await new Sequence(seededChoices(seed)).run()
}

class Sequence {
  readonly #random: Random
  readonly #disk = new Disk()
  readonly #clock = new TestClock()
  #accounts!: Accounts
  readonly #models: ModelAccount[] = []
  readonly #keys: ModelKey[] = []
  readonly #references = new Map<string, { email: string; micros: number }>()
  #setBackHours = 0

  constructor(random: Random) {
    this.#random = random
  }

  async run(): Promise<void> {
    await this.#open()
    for (let act = 4 + this.#random.below(20); act > 0; act--) await this.#act()
    await this.#restart()
    await this.#compare()
    await this.#accounts.close()
  }

  async #act(): Promise<void> {
    const model = this.#models.length > 0 ? this.#random.pick(this.#models) : undefined
    const key = this.#keys.length > 0 ? this.#random.pick(this.#keys) : undefined
    const choice = this.#random.below(27)
    if (choice < 2 || model === undefined) return this.#createAccount()
    if (choice < 4 || key === undefined) return this.#createKey(model)
    if (choice < 7) return this.#money(model)
    if (choice < 15) return this.#charge(key)
    if (choice < 16) return this.#setLimits(model)
    if (choice < 19) return this.#admit(key)
    if (choice < 20) return this.#setCap(key)
    if (choice < 21) return this.#revoke(key)
    if (choice < 23) return this.#pass()
    if (choice < 24) return this.#roll(key)
    if (choice < 26) return this.#setRules(key)
    return this.#restart()
  }

  async #createAccount(): Promise<void> {
    const email = `${this.#random.below(6)}@example.org`
    const free = this.#random.chance(0.7)
    const isTaken = this.#models.some(model => model.email === email)
    const created = this.#accounts.createAccount({ email: email.toUpperCase(), freeCredit: free })
    if (isTaken) return assert.rejects(created, { code: 'EMAIL_TAKEN' })
    await created
    const model = new ModelAccount(email)
    if (free) model.credit(NEW_ACCOUNT_CREDIT_MICROS)
    this.#models.push(model)
  }

  async #createKey(model: ModelAccount): Promise<void> {
    const { id, secret: key } = await this.#accounts.createKey(model.email, { label: 'a key' })
    const added = new ModelKey(model, key, id)
    model.keys.push(added)
    this.#keys.push(added)
  }

  async #money(model: ModelAccount): Promise<void> {
    const reference = `${this.#random.below(8)}`
    const isCredit = this.#random.chance(0.7)
    const micros = 1 + this.#random.below(3) * 2000
    const known = this.#references.get(reference)
    const request = { account: model.email, micros, reference }
    const applied = isCredit
      ? this.#accounts.credit({ ...request, kind: 'payment' })
      : this.#accounts.adjust({ ...request, kind: 'refund' })
    const signed = isCredit ? micros : -micros
    if (known !== undefined && (known.email !== model.email || known.micros !== signed)) {
      return assert.rejects(applied, { code: 'REFERENCE_CONFLICT' })
    }
    if (known === undefined && isCredit) model.credit(micros)
    if (known === undefined && !isCredit) model.adjust(micros)
    this.#references.set(reference, { email: model.email, micros: signed })
    const result = await applied
    assert.deepEqual(result, {
      applied: known === undefined,
      balanceMicros: model.balanceMicros(),
      debtMicros: model.debtMicros,
    })
  }

  async #charge(key: ModelKey): Promise<void> {
    for (let count = 1 + this.#random.below(5); count > 0; count--) {
      const queries = this.#random.pick([1, 1, 2, 30, 400])
      const usage = this.#random.below(USAGE_NAMES.length)
      const allowed = key.allows(queries, this.#now())
      const secret = this.#random.pick(key.secrets.slice(-3)).secret
      const found = authenticate(this.#accounts, secret)
      if (!key.isAnswered(secret, this.#now())) return assert.equal(found, undefined)
      assert.ok(found)
      const charged = await chargeAsServed(this.#accounts.charging, found, usage, queries)
      assert.equal(charged, allowed, 'charge')
      if (allowed) key.charges.push({ timeMs: this.#now(), usage, queries })
      assert.equal(found.account.availableMicros, key.account.balanceMicros())
    }
  }

  #limits(): RateLimits {
    const limit = (): number | null => (this.#random.chance(0.3) ? null : 1 + this.#random.below(12))
    return { perMinute: limit(), perHour: limit(), perDay: limit() }
  }

  async #setLimits(model: ModelAccount): Promise<void> {
    const limits = this.#limits()
    model.limits = this.#random.chance(0.2) ? null : limits
    await this.#accounts.setLimits(model.email, model.limits)
  }

  #admit(key: ModelKey): void {
    for (let count = 1 + this.#random.below(4); count > 0; count--) {
      const queries = 1 + this.#random.below(5)
      const secret = this.#random.pick(key.secrets.slice(-2)).secret
      const found = authenticate(this.#accounts, secret)
      if (!key.isAnswered(secret, this.#now())) return assert.equal(found, undefined)
      assert.ok(found)
      const wait = this.#accounts.charging.takeFromLimits(found, queries)
      assert.equal(wait ?? 0, key.admit(queries, this.#now()), 'admit')
      if (key.account.limits !== null)
        assert.equal(found.account.used.perDay, key.account.countIn(24 * HOUR_MS, this.#now()))
      const own = key.limits === null ? 0 : countIn(key.admitted, 24 * HOUR_MS, this.#now())
      assert.equal(found.ownLimits?.used.perDay ?? 0, own, 'counted against the limits of the key')
    }
  }

  async #setCap(key: ModelKey): Promise<void> {
    const cap = this.#random.chance(0.3) ? null : this.#random.below(20_000)
    const set = this.#accounts.setKeyCap(key.id, cap)
    if (key.isRevoked) return assert.rejects(set, { code: 'KEY_REVOKED' })
    key.capMicros = cap
    await set
  }

  async #setRules(key: ModelKey): Promise<void> {
    const limits = this.#random.chance(0.4) ? null : this.#limits()
    const aheadMs = this.#random.pick([1, 5000, HOUR_MS, 200 * HOUR_MS])
    const expiresMs = this.#random.chance(0.5) ? null : this.#now() + aheadMs
    const addresses = this.#random.chance(0.5)
      ? null
      : Array.from({ length: 1 + this.#random.below(5) }, (_, i) => `10.${i}.0.0/16`)
    const set = this.#accounts.setKeyRules(key.id, { expiresMs, limits, endpoints: null, addresses })
    if (key.isRevoked) return assert.rejects(set, { code: 'KEY_REVOKED' })
    const { rules } = await set
    assert.deepEqual(rules.addresses, addresses)
    key.limits = rules.limits
    key.expiresMs = expiresMs
    this.#expectFound(key)
  }

  async #roll(key: ModelKey): Promise<void> {
    if (this.#random.chance(0.2)) {
      if (!key.isRevoked) {
        await this.#accounts.endKeyOverlap(key.id)
        key.endOverlap(this.#now())
      }
      return this.#expectFound(key)
    }
    const overlapMs = this.#random.pick([0, 1, 5000, HOUR_MS])
    const rolled = this.#accounts.rollKey(key.id, overlapMs)
    if (key.isRevoked) return assert.rejects(rolled, { code: 'KEY_REVOKED' })
    key.roll((await rolled).secret, this.#now() + overlapMs)
    this.#expectFound(key)
  }

  async #revoke(key: ModelKey): Promise<void> {
    key.isRevoked = true
    await this.#accounts.revokeKey(key.id)
    this.#expectFound(key)
  }

  async #pass(): Promise<void> {
    await this.#clock.pass(FLUSH_MS_DEFAULT)
    // Another test sets the clock back by more than a day, which is followed.
    if (this.#random.chance(0.2)) {
      const hours = 1 + this.#random.below(23)
      if (this.#setBackHours + hours < 24) {
        this.#clock.jump(-HOUR_MS * hours)
        this.#setBackHours += hours
      }
    }
    this.#clock.advance(this.#random.pick([1, 999, 20_000, HOUR_MS / 2, 7 * HOUR_MS, 400 * HOUR_MS]))
  }

  /** Another test restarts after a clock was set back. The clock then continues from the last stored moment. */
  async #restart(): Promise<void> {
    if (this.#setBackHours > 0) return
    if (this.#random.chance(0.5)) await this.#accounts.close()
    else this.#disk.kill()
    this.#clock.forgetTimers()
    await this.#open()
    await this.#compare()
  }

  async #open(): Promise<void> {
    this.#accounts = await openAccounts({
      ...OPTIONS,
      fs: new SimulatedProcess(this.#disk),
      clock: this.#clock,
    })
  }

  async #compare(): Promise<void> {
    assert.equal(this.#accounts.listAccounts().length, this.#models.length)
    for (const model of this.#models) {
      const view = this.#accounts.account(model.email)
      assert.equal(view?.balanceMicros, model.balanceMicros())
      assert.equal(view?.debtMicros, model.debtMicros)
      assert.ok(model.balanceMicros() === 0 || model.debtMicros === 0)
      const views = this.#accounts.listKeys(model.email)
      for (const [index, key] of model.keys.entries()) {
        const queries = Object.values(views[index]?.queries ?? {})
        assert.deepEqual(
          queries,
          USAGE_NAMES.map((_, usage) => key.queries(usage)),
        )
        this.#expectFound(key)
      }
    }
  }

  #expectFound(key: ModelKey): void {
    for (const { secret } of key.secrets.slice(-3)) {
      const found = idOf(this.#accounts, authenticate(this.#accounts, secret))
      assert.equal(found, key.isAnswered(secret, this.#now()) ? key.id : undefined)
    }
  }

  /** Returns the service's time: its start plus the monotonic clock since. */
  #now(): number {
    return this.#startMs + this.#clock.monotonicMs()
  }
  readonly #startMs = this.#clock.wallMs() - this.#clock.monotonicMs()
}
