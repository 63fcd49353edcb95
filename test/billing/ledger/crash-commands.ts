/** Random commands of an operator over the socket, until the server dies. */
import { askServer } from '../../../src/console/operator/operator-client.ts'
import type { Random } from '../../support/random.ts'
import { type CrashKey, type CrashModel, Setting } from './crash-model.ts'

/** Expiry of keys: later than the end of this test. */
const EXPIRES_MS = Date.UTC(2099, 0, 1)

/** Refusals that random commands may get. Any other error is a defect. */
const EXPECTED = /too many|at most|exists|already/i

export class CrashOperator {
  readonly #model: CrashModel
  readonly #random: Random
  readonly #accounts: readonly string[]
  /** Acknowledged commands by name, over all rounds. */
  readonly acknowledged = new Map<string, number>()
  #counter = 0

  constructor(model: CrashModel, random: Random, accounts: readonly string[]) {
    this.#model = model
    this.#random = random
    this.#accounts = accounts
  }

  count(): number {
    return [...this.acknowledged.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Resolves when the connection breaks. */
  async run(socketFile: string): Promise<void> {
    const ask = async (name: string, params: unknown): Promise<unknown> => {
      const answer = await askServer(socketFile, name, params)
      if (!answer.reached) throw new Error('the server is gone')
      this.acknowledged.set(name, (this.acknowledged.get(name) ?? 0) + 1)
      return answer.result
    }
    for (;;) {
      try {
        await this.#command(ask)
      } catch (error) {
        if (EXPECTED.test(String(error))) continue
        return
      }
    }
  }

  #command(ask: Ask): Promise<void> {
    const account = this.#random.pick(this.#accounts)
    const usable = this.#model.usable()
    const choice = this.#random.below(13)
    if (choice < 4 || usable.length === 0) return this.#credit(ask, account)
    if (choice < 6) return this.#createKey(ask, account)
    if (choice < 7 && usable.length > 4) return this.#revoke(ask, this.#random.pick(usable))
    if (choice < 8) return this.#cap(ask, this.#random.pick(usable))
    if (choice < 9) return this.#limits(ask, account)
    if (choice < 10) return this.#suspend(ask)
    if (choice < 11) return this.#rules(ask, this.#random.pick(usable))
    if (choice < 12) return this.#roll(ask, this.#random.pick(usable))
    return this.#createAccount(ask)
  }

  async #credit(ask: Ask, account: string): Promise<void> {
    const reference = `credit-${this.#next()}`
    const isThere = new Setting(false)
    isThere.request(true)
    const cents = 1 + this.#random.below(50)
    this.#model.credits.set(reference, { account, micros: cents * 10_000, isThere })
    await ask('account.credit', { account, usd: (cents / 100).toFixed(2), reference })
    isThere.acknowledge(true)
  }

  async #createKey(ask: Ask, account: string): Promise<void> {
    const { id, key } = (await ask('key.create', { account })) as { id: string; key: string }
    this.#model.addKey(id, account, key)
  }

  async #revoke(ask: Ask, key: CrashKey): Promise<void> {
    key.isRevoked.request(true)
    await ask('key.revoke', { key: key.id })
    key.isRevoked.acknowledge(true)
  }

  async #cap(ask: Ask, key: CrashKey): Promise<void> {
    const dollars = this.#random.chance(0.3) ? null : this.#random.below(20)
    const micros = dollars === null ? null : dollars * 1_000_000
    key.capMicros.request(micros)
    await ask('key.cap', { key: key.id, ...(dollars === null ? { off: true } : { usd: `${dollars}` }) })
    key.capMicros.acknowledge(micros)
  }

  /** Rules that let the load continue. */
  async #rules(ask: Ask, key: CrashKey): Promise<void> {
    const perDay = 9_000_000 + this.#random.below(1_000_000)
    const rules = this.#random.chance(0.3)
      ? null
      : {
          expiresMs: EXPIRES_MS,
          limits: { perMinute: null, perHour: null, perDay },
          endpoints: null,
          addresses: ['127.0.0.0/8'],
        }
    const expires = new Date(EXPIRES_MS).toISOString()
    const named = { key: key.id, expires, perDay, addresses: rules?.addresses }
    key.rules.request(rules)
    await ask('key.rules', rules === null ? { key: key.id, off: true } : named)
    key.rules.acknowledge(rules)
  }

  async #roll(ask: Ask, key: CrashKey): Promise<void> {
    if (key.mayBeRolled) return this.#cap(ask, key)
    key.mayBeRolled = true
    await ask('key.roll', { key: key.id, overlapSeconds: 30 * 86_400 })
  }

  async #limits(ask: Ask, account: string): Promise<void> {
    const limits = this.#random.chance(0.4)
      ? null
      : {
          perMinute: 1 + this.#random.below(10_000_000),
          perHour: 1 + this.#random.below(10_000_000),
          perDay: null,
        }
    const setting = this.#model.limits.get(account)
    setting?.request(limits)
    await ask('account.limits', { account, ...(limits ?? { off: true }) })
    setting?.acknowledge(limits)
  }

  /** Changes accounts without load, so that the load continues. */
  async #suspend(ask: Ask): Promise<void> {
    const known = [...this.#model.emails].filter(([, exists]) => !exists.mayBe(false)).map(([email]) => email)
    if (known.length === 0) return this.#createAccount(ask)
    const email = this.#random.pick(known)
    const { id } = (await ask('account.threshold', { account: email, off: true })) as { id: string }
    const setting = this.#model.suspended.get(id) ?? new Setting(false)
    this.#model.suspended.set(id, setting)
    const isSuspended = this.#random.chance(0.6)
    setting.request(isSuspended)
    await ask(isSuspended ? 'account.suspend' : 'account.resume', { account: id, reason: 'a crash test' })
    setting.acknowledge(isSuspended)
  }

  async #createAccount(ask: Ask): Promise<void> {
    const email = `crash-${this.#next()}@example.org`
    const exists = new Setting(false)
    exists.request(true)
    this.#model.emails.set(email, exists)
    await ask('account.create', { email })
    exists.acknowledge(true)
  }

  #next(): number {
    this.#counter++
    return this.#counter
  }
}

type Ask = (name: string, params: unknown) => Promise<unknown>
