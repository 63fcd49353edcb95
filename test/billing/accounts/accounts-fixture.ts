import type { Accounts, AccountsOptions } from '../../../src/billing/accounts/accounts.ts'
import type { SharedKey } from '../../../src/billing/accounts/charging/shared-key.ts'
import { keyOf, openAccounts } from '../../support/accounts.ts'
import { Disk } from '../ledger/simulated-disk.ts'
import { SimulatedProcess } from '../ledger/simulated-process.ts'
import { TestClock } from '../ledger/test-clock.ts'

/** Accounts on a disk in memory and in virtual time, with one account and one key. */
export class AccountsFixture {
  readonly disk = new Disk()
  readonly clock = new TestClock()
  #options: Partial<AccountsOptions> = {}
  accounts!: Accounts
  accountId = ''
  keyId = ''
  secret = ''

  static async create(options: Partial<AccountsOptions> = {}): Promise<AccountsFixture> {
    const fixture = new AccountsFixture()
    await fixture.open(options)
    fixture.accountId = (await fixture.accounts.createAccount({ email: 'ada@example.org' })).id
    const { id, secret: key } = await fixture.accounts.createKey(fixture.accountId, { label: 'production' })
    fixture.keyId = id
    fixture.secret = key
    return fixture
  }

  /** Opens the accounts with `options`, or as the time before. */
  async open(options = this.#options): Promise<void> {
    this.#options = options
    const fs = new SimulatedProcess(this.disk)
    this.accounts = await openAccounts({
      dir: '/data',
      fs,
      clock: this.clock,
      accountsMax: 500,
      keysMax: 500,
      ...options,
    })
  }

  async restart(): Promise<void> {
    this.disk.kill()
    this.clock.forgetTimers()
    await this.open()
  }

  key(): SharedKey {
    return keyOf(this.accounts, this.secret)
  }
}
