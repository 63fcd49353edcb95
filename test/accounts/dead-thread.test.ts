/** Threads that die where others wait for them: the process must end, and must say why. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import { AttachedThreads } from '../../src/accounts/attached-threads.ts'
import { SharedCharging } from '../../src/accounts/charging/shared-charging.ts'
import { SharedStateError } from '../../src/accounts/errors.ts'
import { HEADER_BYTES } from '../../src/accounts/live/live-layout.ts'
import { LiveState } from '../../src/accounts/live/live-state.ts'
import { lock, lockWaits, unlock } from '../../src/accounts/live/lock.ts'
import { authenticate } from '../ledger/expectation.ts'

/** @param isClosed the test closes the accounts itself */
async function opened(t: Test, isClosed = false): Promise<Accounts> {
  const dir = await mkdtemp(join(tmpdir(), 'postrie-threads-'))
  const accounts = await Accounts.open({ dir, slotsMin: 4 })
  t.teardown(async () => {
    if (!isClosed) await accounts.close()
    await rm(dir, { recursive: true })
  })
  return accounts
}

t.test('a lock whose holder has died is given up, and nothing is charged afterwards', t => {
  const header = new Int32Array(HEADER_BYTES / 4)
  const words = new Int32Array(16)
  lock(header, words, 0, 7)
  t.throws(
    () => lock(header, words, 0, 1, 5),
    new SharedStateError('thread 7 has died while it changed an account; thread 1 gave up waiting for it'),
  )
  t.notOk(header[0] === 0, 'the service is not healthy any more')
  t.match(lockWaits(header), { waits: 1, sleeps: 5 })
  unlock(words, 0)
  lock(header, words, 0, 1)
  t.match(lockWaits(header), { waits: 1 }, 'a free lock costs no waiting')
  t.end()
})

t.test('a thread that does not confirm new memory is dead', async t => {
  const accounts = await opened(t)
  const { ledger } = accounts as unknown as { ledger: ConstructorParameters<typeof AttachedThreads>[0] }
  const dead = new Promise<Error>(onDead => {
    const threads = new AttachedThreads(
      ledger,
      LiveState.for(2),
      1,
      { onWake: () => {}, lease: async () => false, onDead },
      20,
    )
    const { port1 } = new MessageChannel()
    threads.attach(port1, 5)
    threads.grow().catch(() => {})
  })
  t.match(await dead, { name: 'SharedStateError', message: 'no answer of thread 1 within 20 ms' })
})

t.test('a thread that has closed is waited for no more', async t => {
  const accounts = await opened(t)
  const { id } = await accounts.createAccount({ email: 'ada@example.org' })
  const { port1, port2 } = new MessageChannel()
  const charging = await SharedCharging.open(accounts.attach(port1), port2)
  const first = await accounts.createKey(id)
  t.ok(charging.charge(found(charging, first.key), 0, 1))
  // The test has nothing else to stay alive for.
  port1.ref()
  charging.close()
  await once(port1, 'close')
  for (let count = 0; count < 20; count++) await accounts.createKey(id)
  t.match(accounts.key(first.id), { queries: { lookup: 1 } }, 'and what it has charged is there')
  const { port1: next, port2: end } = new MessageChannel()
  const again = await SharedCharging.open(accounts.attach(next), end)
  t.ok(again.charge(found(again, first.key), 0, 1))
  t.match(accounts.key(first.id), { queries: { lookup: 2 } })
  again.close()
})

t.test('a service that stops charges nothing more on any thread', async t => {
  const accounts = await opened(t, true)
  const { id } = await accounts.createAccount({ email: 'ada@example.org' })
  const { key } = await accounts.createKey(id)
  const { port1, port2 } = new MessageChannel()
  const charging = await SharedCharging.open(accounts.attach(port1), port2)
  const live = found(charging, key)
  t.equal(charging.healthy, true)
  const closed = accounts.close()
  t.equal(charging.healthy, false)
  t.equal(charging.charge(live, 0, 1), false)
  t.equal(charging.takeBack({ key: live, usage: 0, queries: 1 }), false)
  await closed
})

function found(charging: SharedCharging, secret: string) {
  const key = authenticate(charging, secret)
  if (key === undefined) throw new Error('the key is not found')
  return key
}
