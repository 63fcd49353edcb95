import t from 'tap'
import { leaseWaits } from '../../src/http/lease-waits.ts'
import { LEASE_WAITING_MAX } from '../../src/limits.ts'

t.test('a lease that fails ends the wait of its request, which leaves its place to others', async t => {
  const wait = leaseWaits(() => Promise.reject(new Error('the port is closed')))
  const response = { onAborted: () => {} } as unknown as Parameters<typeof wait>[0]
  let tried = 0
  for (let request = 0; request <= LEASE_WAITING_MAX; request++) {
    await wait(response, { account: 0, key: 1, queries: 1 }, 1, () => {
      tried++
    })
  }
  t.equal(tried, LEASE_WAITING_MAX + 1)
})
