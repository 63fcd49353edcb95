/** Threads that die where others wait for them: the process must end, and must say why. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { SharedStateError } from '../../src/accounts/account-error.ts'
import { Accounts } from '../../src/accounts/accounts.ts'
import type { Charging } from '../../src/accounts/charging/charging.ts'
import { openCharging } from '../../src/accounts/charging/thread-charging.ts'
import { LiveState } from '../../src/accounts/live/live-state.ts'
import { lock, unlock } from '../../src/accounts/live/lock.ts'
import { authenticate } from '../ledger/expectation.ts'

/** @param isClosed the test closes the accounts itself */
async function opened(t: Test, isClosed = false): Promise<Accounts> {
  const dir = await mkdtemp(join(tmpdir(), 'postrie-threads-'))
  const accounts = await Accounts.open({ dir, accountsMax: 500, keysMax: 500 })
  t.teardown(async () => {
    if (!isClosed) await accounts.close()
    await rm(dir, { recursive: true })
  })
  return accounts
}

t.test('a lock whose holder has died is given up, and nothing is charged afterwards', t => {
  const { header } = LiveState.for(1)
  const words = new Int32Array(16)
  lock(header, words, 0, 7)
  t.throws(
    () => lock(header, words, 0, 1),
    new SharedStateError('thread 7 has died while it changed an account; thread 1 gave up waiting for it'),
  )
  t.notOk(header[0] === 0, 'the service is not healthy any more')
  unlock(words, 0)
  lock(header, words, 0, 1)
  t.end()
})

t.test('a service that stops charges nothing more on any thread', async t => {
  const accounts = await opened(t, true)
  const { id } = await accounts.createAccount({ email: 'ada@example.org' })
  const { key } = await accounts.createKey(id)
  const { port1, port2 } = new MessageChannel()
  const charging = await openCharging(accounts.attach(port1), port2)
  const live = found(charging, key)
  t.equal(charging.healthy, true)
  const closed = accounts.close()
  t.equal(charging.healthy, false)
  t.equal(charging.charge(live, 0, 1), false)
  await closed
})

function found(charging: Charging, secret: string) {
  const key = authenticate({ charging }, secret)
  if (key === undefined) throw new Error('the key is not found')
  return key
}
