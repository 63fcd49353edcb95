/** State that must be there after a crash: every acknowledged change, and perhaps unacknowledged ones. */
import assert from 'node:assert/strict'
import type { Accounts } from '../../../src/billing/accounts/accounts.ts'
import type { SharedKey } from '../../../src/billing/accounts/charging/shared-key.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { authenticate } from '../../support/accounts.ts'

export interface ExpectedKey {
  secret: string
  email: string
  /** True after a requested, and after an acknowledged, revocation. */
  mayBeRevoked: boolean
  mustBeRevoked: boolean
  charges: { atMs: number; usage: number; queries: number }[]
  /** Queries by class that earlier lives left for certain. */
  before: number[]
}

export interface ExpectedCredit {
  email: string
  /** Signed. */
  micros: number
  certain: boolean
}

export class Expectation {
  readonly emails = new Set<string>()
  readonly keys: ExpectedKey[] = []
  /** By reference. */
  readonly credits = new Map<string, ExpectedCredit>()

  /** Compares the recovered state. Charges before `certainBeforeMs` must be there, later ones may be. */
  check(accounts: Accounts, certainBeforeMs: number): void {
    for (const email of this.emails) assert.ok(accounts.account(email), `account ${email} was acknowledged`)
    this.#checkCredits(accounts)
    for (const key of this.keys) this.#checkKey(accounts, key, certainBeforeMs)
    for (const { id, balanceMicros } of accounts.listAccounts()) {
      const sum = accounts.statement(id).reduce((total, row) => total + row.micros, 0)
      assert.equal(balanceMicros, sum, 'the statement adds up to the balance')
      assert.ok(balanceMicros >= 0, 'no balance is negative')
    }
  }

  #checkCredits(accounts: Accounts): void {
    const found = new Map<string, number>()
    for (const { id, email } of accounts.listAccounts()) {
      for (const row of accounts.statement(id)) {
        if (row.sequence === 0 || row.kind === 'free') continue
        assert.equal(this.credits.get(row.reference)?.email, email, `${row.reference} was asked for`)
        assert.ok(!found.has(row.reference), `${row.reference} is there once`)
        found.set(row.reference, row.micros - row.debtChangeMicros)
      }
    }
    for (const [reference, credit] of this.credits) {
      if (credit.certain) assert.equal(found.get(reference), credit.micros, `${reference} was acknowledged`)
      else if (found.has(reference)) assert.equal(found.get(reference), credit.micros)
      if (found.has(reference)) credit.certain = true
      else this.credits.delete(reference)
    }
  }

  #checkKey(accounts: Accounts, key: ExpectedKey, certainBeforeMs: number): void {
    const view = accounts.listKeys(key.email).find(({ start }) => key.secret.startsWith(start))
    assert.ok(view, 'an acknowledged key is there')
    const live = authenticate(accounts, key.secret)
    if (key.mustBeRevoked) assert.ok(view.revokedMs !== null, 'an acknowledged revocation holds')
    if (!key.mayBeRevoked) assert.equal(idOf(accounts, live), view.id, 'an active key is found')
    key.mustBeRevoked = view.revokedMs !== null
    key.mayBeRevoked = key.mustBeRevoked
    const most = [...key.before]
    const least = [...key.before]
    for (const { atMs, usage, queries } of key.charges) {
      most[usage] = most[usage] + queries
      if (atMs < certainBeforeMs) least[usage] = least[usage] + queries
    }
    const found = Object.values(view.queries)
    for (const [usage, queries] of found.entries()) {
      assert.ok(queries >= least[usage], `class ${usage}: ${queries} of at least ${least[usage]} are there`)
      assert.ok(queries <= most[usage], `class ${usage}: ${queries} are not more than ${most[usage]}`)
    }
    assert.equal(view.spentMicros, found.reduce((sum, queries) => sum + queries, 0) * QUERY_PRICE_MICROS)
    key.before = found
    key.charges = []
  }
}

export function idOf(accounts: Accounts, key: SharedKey | undefined): string | undefined {
  return key && accounts.viewOf(key).id
}

/** Charges a key. If the ledger thread must say what is left of its cap, asks it, as a server does. */
export async function chargeAsServed(
  charging: Accounts['charging'],
  key: SharedKey,
  usage: number,
  queries: number,
): Promise<boolean> {
  const refusal = charging.charge(key, usage, queries)
  if (refusal === null) return true
  if (typeof refusal !== 'object') return false
  return (await charging.waitForLease(refusal, 1000)) && charging.charge(key, usage, queries) === null
}
