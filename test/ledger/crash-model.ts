/**
 * What must be found on the disk after a kill. A command that was acknowledged has happened; one whose answer the kill cut
 * off may have. What was found is certain from then on.
 */

import assert from 'node:assert/strict'
import { secretHash } from '../../src/accounts/secret.ts'
import type { Book } from '../../src/ledger/book/book.ts'
import { balanceMicros } from '../../src/ledger/book/record.ts'
import type { KeyRules } from '../../src/ledger/event.ts'
import { QUERY_PRICE_MICROS } from '../../src/money.ts'
import { FLOOD_CONNECTIONS } from './data-folder.ts'

/** A setting that commands replace: the last acknowledged value, or any that was asked for since. */
export class Setting<T> {
  #possible: T[]

  constructor(value: T) {
    this.#possible = [value]
  }

  asked(value: T): void {
    this.#possible.push(value)
  }

  acknowledged(value: T): void {
    this.#possible = [value]
  }

  mayBe(value: T): boolean {
    return this.#possible.includes(value)
  }

  check(found: T, what: string): void {
    const texts = this.#possible.map(value => JSON.stringify(value))
    assert.ok(
      texts.includes(JSON.stringify(found)),
      `${what} is ${JSON.stringify(found)}, not ${texts.join(' or ')}`,
    )
    this.#possible = [found]
  }
}

export interface CrashKey {
  id: string
  account: string
  secret: string
  /** Queries found on it so far, and those answered since. */
  queries: number
  answered: number
  /** Floods that were cut off. */
  floods: number
  isRevoked: Setting<boolean>
  capMicros: Setting<number | null>
  rules: Setting<KeyRules | null>
  /** Whether a roll was asked for. Its secret goes on working, as the earlier one. */
  mayBeRolled: boolean
}

export class CrashModel {
  readonly keys: CrashKey[] = []
  readonly limits = new Map<string, Setting<unknown>>()
  /** Emails of accounts that were asked for and acknowledged. */
  readonly emails = new Map<string, Setting<boolean>>()
  /** By account: whether it is suspended. */
  readonly suspended = new Map<string, Setting<boolean>>()
  /** By reference: whether the credit is there. */
  readonly credits = new Map<string, { account: string; micros: number; isThere: Setting<boolean> }>()
  /** What the kill cut the answer off from, over all rounds. */
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

  /** Keys that clients use: not those whose revocation was acknowledged. */
  usable(): CrashKey[] {
    return this.keys.filter(({ isRevoked }) => isRevoked.mayBe(false))
  }

  /** @throws AssertionError naming what was lost, doubled or negative */
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

  /** Every entry was asked for and is there once, spend is the price of the queries, and nothing is negative. */
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
