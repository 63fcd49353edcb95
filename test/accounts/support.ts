import { Accounts, type AccountsOptions } from '../../src/accounts/accounts.ts'
import type { SharedKey } from '../../src/accounts/charging/shared-key.ts'
import { authenticate } from '../ledger/expectation.ts'
import { Disk } from '../ledger/simulated-disk.ts'
import { SimulatedProcess } from '../ledger/simulated-process.ts'
import { TestClock } from '../ledger/test-clock.ts'

/** Accounts on a disk in memory and in virtual time, with one account and one key. */
export class Bench {
  readonly disk = new Disk()
  readonly clock = new TestClock()
  accounts!: Accounts
  accountId = ''
  keyId = ''
  secret = ''

  static async create(options: Partial<AccountsOptions> = {}): Promise<Bench> {
    const bench = new Bench()
    await bench.open(options)
    bench.accountId = (await bench.accounts.createAccount({ email: 'ada@example.org' })).id
    const { id, key } = await bench.accounts.createKey(bench.accountId, { label: 'production' })
    bench.keyId = id
    bench.secret = key
    return bench
  }

  async open(options: Partial<AccountsOptions> = {}): Promise<void> {
    const fs = new SimulatedProcess(this.disk)
    this.accounts = await Accounts.open({
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
    const key = authenticate(this.accounts, this.secret)
    if (key === undefined) throw new Error('the key is not found')
    return key
  }
}
