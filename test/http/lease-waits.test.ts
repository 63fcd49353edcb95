import t from 'tap'
import type { Meter } from '../../src/accounts/types.ts'
import { LeaseWaits } from '../../src/http/lease-waits.ts'
import { LEASE_WAITING_MAX } from '../../src/limits.ts'

t.test('a lease that fails ends the wait of its request, which leaves its place to others', async t => {
  const meter = { lease: () => Promise.reject(new Error('the port is closed')) }
  const waits = new LeaseWaits(meter as unknown as Meter)
  const response = { onAborted: () => {} } as unknown as Parameters<LeaseWaits['wait']>[0]
  let tried = 0
  for (let request = 0; request <= LEASE_WAITING_MAX; request++) {
    await waits.wait(response, { account: 0, key: 1, queries: 1 }, 1, () => {
      tried++
    })
  }
  t.equal(tried, LEASE_WAITING_MAX + 1)
})
