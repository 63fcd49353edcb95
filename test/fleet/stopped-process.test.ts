/** A node is stopped for longer than its database keeps its leases, and goes on: it charges nothing that belongs to others again. */
import t from 'tap'
import { openFleetAccounts } from '../../src/fleet/open-fleet-accounts.ts'
import { openPostgresStore } from '../../src/fleet/postgres-store.ts'
import { systemClock } from '../../src/ledger/clock.ts'
import { freshSchema, sharedPostgres, stopSharedPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { FACTS } from './support.ts'

const HOUR_MS = 3_600_000

t.setTimeout(120_000)
t.teardown(stopSharedPostgres)

t.test('not one query is charged before the database has confirmed the leases', async t => {
  const store = await openPostgresStore((await sharedPostgres()).url, { schema: freshSchema() })
  // Neither clock of a stopped process stops; that of a sleeping machine which only goes forward does.
  let stoppedMs = 0
  const clock = { ...systemClock, wallMs: () => Date.now() + stoppedMs }
  const { accounts } = await openFleetAccounts({ dir: t.testdir(), store, facts: FACTS, clock })
  t.teardown(() => accounts.close())
  const { id } = await accounts.createAccount({ email: 'stopped@example.com' })
  const { key: secret } = await accounts.createKey(id)
  const key = accounts.charging.authenticate(Buffer.from(secret), 0, secret.length)
  if (key === undefined) throw new Error('the key is not known')
  t.notOk(accounts.charging.charge(key, 0, 1), 'nothing is held yet')
  const { wanted } = accounts.charging
  if (wanted !== null) await accounts.charging.lease(wanted, 5000)
  t.ok(accounts.charging.charge(key, 0, 1))

  stoppedMs = 22 * HOUR_MS
  t.ok(accounts.charging.charge(key, 0, 1), 'within the time for which leases are kept')
  stoppedMs = 24 * HOUR_MS
  t.notOk(accounts.charging.charge(key, 0, 1), 'in the same turn in which the process goes on')
  t.notOk(accounts.healthy, 'which is answered with 503')
  await until(() => accounts.healthy)
  t.ok(accounts.charging.charge(key, 0, 1), 'again once the database has confirmed them')
})
