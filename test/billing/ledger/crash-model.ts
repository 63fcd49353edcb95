/** State that must be on the disk after a kill. Acknowledged commands have happened, unanswered ones may have. */

import assert from 'node:assert/strict'
import { secretHash } from '../../../src/billing/accounts/secret.ts'
import type { Book } from '../../../src/billing/ledger/book/book.ts'
import { balanceMicros } from '../../../src/billing/ledger/book/record.ts'
import type { KeyRules } from '../../../src/billing/ledger/event.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { FLOOD_CONNECTIONS } from './data-folder.ts'

/** A setting that commands replace: the last acknowledged value, or any value requested since. */
export class Setting<T> {
  #possible: T[]

  constructor(value: T) {
    this.#possible = [value]
  }

  request(value: T): void {
    this.#possible.push(value)
  }

  acknowledge(value: T): void {
    this.#possible = [value]
  }

  mayBe(value: T): boolean {
    return this.#possible.includes(value)
  }

  check(found: T, name: string): void {
    const texts = this.#possible.map(value => JSON.stringify(value))
    assert.ok(
      texts.includes(JSON.stringify(found)),
      `${name} is ${JSON.stringify(found)}, not ${texts.join(' or ')}`,
    )
    this.#possible = [found]
  }
}

export interface CrashKey {
  id: string
  account: string
  secret: string
  /** Queries that were found on the key, and queries answered since. */
  queries: number
  answered: number
  /** Floods that were cut off. */
  floods: number
  isRevoked: Setting<boolean>
  capMicros: Setting<number | null>
  rules: Setting<KeyRules | null>
  /** True after a requested roll. The earlier secret goes on working. */
  mayBeRolled: boolean
}

export class CrashModel {
  readonly keys: CrashKey[] = []
  readonly limits = new Map<string, Setting<unknown>>()
  readonly emails = new Map<string, Setting<boolean>>()
  readonly suspended = new Map<string, Setting<boolean>>()
  /** Existence of the credit, by reference. */
  readonly credits = new Map<string, { account: string; micros: number; isThere: Setting<boolean> }>()
  /** Commands whose answer a kill cut off, over all rounds. */
  unanswered = 0
  charged = 0

  addKey(id: string, account: string, secret: string): void {
    const constants = { queries: 0, answered: 0, floods: 0 }
    const settings = {
      isRevoked: new Setting(false),
      capMicros: new Setting<number | null>(null),
      rules: new Setting<KeyRules | null>(null),
      mayBeRolled: false,
    }
    this.keys.push({ id, account, secret, ...constants, ...settings })
  }

  /** Keys that clients use: all keys without an acknowledged revocation. */
  usable(): CrashKey[] {
    return this.keys.filter(({ isRevoked }) => isRevoked.mayBe(false))
  }

  /** @throws AssertionError that names what was lost, doubled or negative */
  check(book: Book): void {
    for (const key of this.keys) this.#checkKey(book, key)
    for (const [id, limits] of this.limits)
      limits.check(book.accounts.get(id)?.limits ?? null, `limits of ${id}`)
    for (const [id, isSuspended] of this.suspended)
      isSuspended.check(book.accounts.get(id)?.standing?.state === 'suspended', `suspension of ${id}`)
    for (const [email, exists] of this.emails) exists.check(book.byEmail.has(email), `account ${email}`)
    for (const [reference, { account, micros, isThere }] of this.credits) {
      const found = book.references.get(reference)
      isThere.check(found !== undefined, `credit ${reference}`)
      if (found === undefined) continue
      assert.equal(found.account.id, account)
      assert.equal(found.entry.balanceMicros, micros, `amount of ${reference}`)
    }
    for (const account of book.accounts.values()) this.#checkMoney(book, account.id)
  }

  /** Checks that every entry was requested and is there once. Spend is the price of the queries. Nothing is negative. */
  #checkMoney(book: Book, id: string): void {
    const account = book.accounts.get(id)
    assert.ok(account)
    const references = account.entries.map(({ reference }) => reference)
    assert.equal(new Set(references).size, references.length, `an entry of ${id} is there twice`)
    for (const reference of references) {
      assert.ok(
        reference.startsWith('free:') || this.credits.has(reference),
        `${reference} was never asked for`,
      )
    }
    const creditedMicros = account.entries.reduce((sum, entry) => sum + entry.balanceMicros, 0)
    const queries = account.keys.reduce((sum, key) => sum + key.queries.reduce((a, b) => a + b, 0), 0)
    assert.equal(account.spentMicros, queries * QUERY_PRICE_MICROS, `spend of ${id}`)
    assert.equal(balanceMicros(account), creditedMicros - account.spentMicros, `balance of ${id}`)
    assert.ok(balanceMicros(account) >= 0 && account.debtMicros >= 0, `${id} is negative`)
    assert.ok(balanceMicros(account) === 0 || account.debtMicros === 0, `${id} has a balance and a debt`)
  }

  #checkKey(book: Book, key: CrashKey): void {
    const record = book.keys.get(key.id)
    assert.ok(record, `key ${key.id} was acknowledged`)
    const hash = secretHash(Buffer.from(key.secret))
    if (record.hash !== hash) assert.ok(key.mayBeRolled && record.rolled?.hash === hash, 'its secret works')
    key.isRevoked.check(record.revokedMs !== 0, `revocation of ${key.id}`)
    key.capMicros.check(record.capMicros, `cap of ${key.id}`)
    key.rules.check(record.rules, `rules of ${key.id}`)
    const queries = record.queries.reduce((sum, count) => sum + count, 0)
    const least = key.queries + key.answered
    const most = least + key.floods * FLOOD_CONNECTIONS
    assert.ok(queries >= least, `${key.id}: ${queries} queries are there, ${least} were answered`)
    assert.ok(queries <= most, `${key.id}: ${queries} queries are there, at most ${most} were sent`)
    this.unanswered += queries - least
    this.charged += key.answered
    key.queries = queries
    key.answered = 0
    key.floods = 0
  }
}
