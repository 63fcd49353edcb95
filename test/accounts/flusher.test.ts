/** When the flusher runs, and who wakes it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import { SharedCharging } from '../../src/accounts/charging/shared-charging.ts'
import type { ApiKey } from '../../src/accounts/types.ts'
import { FLUSH_MS_DEFAULT, QUERY_PRICE_MICROS } from '../../src/limits.ts'
import { authenticate } from '../ledger/expectation.ts'
import { TestClock } from '../ledger/test-clock.ts'
import { until } from '../support/until.ts'

const FLUSHES = 10

t.test('a thread that charges all the time sends one message, not one for each flush', async t => {
  const dir = await mkdtemp(join(tmpdir(), 'postrie-flusher-'))
  const clock = new TestClock()
  const accounts = await Accounts.open({ dir, clock, threads: 1 })
  const { port1, port2 } = new MessageChannel()
  const charging = await SharedCharging.open(accounts.attach(port1), port2, clock)
  t.teardown(async () => {
    charging.close()
    await accounts.close()
    await rm(dir, { recursive: true })
  })
  const { id } = await accounts.createAccount({ email: 'ada@example.org' })
  const { id: keyId, key: secret } = await accounts.createKey(id)
  const key = authenticate(charging, secret) as ApiKey
  let wakes = 0
  port1.on('message', message => {
    if (message === 'wake') wakes++
  })
  const flush = () => clock.advance(FLUSH_MS_DEFAULT)

  charging.charge(key, 0, 1)
  await until(() => wakes === 1)
  for (let round = 1; round <= FLUSHES; round++) {
    flush()
    t.equal(accounts.key(keyId)?.monthSpentMicros, round * QUERY_PRICE_MICROS, 'nothing is lost')
    charging.charge(key, 0, 1)
    await new Promise(resolve => setImmediate(resolve))
  }
  t.equal(wakes, 1)

  flush()
  flush()
  charging.charge(key, 0, 1)
  await until(() => wakes === 2)
  t.pass('after a flush that found nothing, the next charge wakes the flusher')
  flush()
  t.equal(accounts.key(keyId)?.monthSpentMicros, (FLUSHES + 2) * QUERY_PRICE_MICROS)
})
