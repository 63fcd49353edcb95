/** A thread is killed while it holds a lock. Nobody else may use what it was changing. */
import { once } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { LINE_WORDS, LIVE_HEADER, liveParts } from '../../../src/billing/accounts/live/live-layout.ts'
import { LiveState } from '../../../src/billing/accounts/live/live-state.ts'
import { accountsUntilEnd, keyOf, openPaidAccount } from '../../support/accounts.ts'

const DEAD_THREAD = 1
const LOCKS = `
const { parentPort, workerData: { memory, word, thread } } = require('node:worker_threads')
if (Atomics.compareExchange(new Int32Array(memory), word, 0, thread + 1) !== 0) throw new Error('it is locked')
parentPort.postMessage('locked')
setInterval(() => {}, 1000)`

/** Kills a thread that holds the lock at `word`. */
async function loseLock({ memory }: { memory: SharedArrayBuffer }, word: number): Promise<void> {
  const workerData = { memory, word, thread: DEAD_THREAD }
  const worker = new Worker(LOCKS, { eval: true, workerData })
  await once(worker, 'message')
  await worker.terminate()
}

async function openShared(t: Test) {
  const accounts = await accountsUntilEnd(t)
  const paid = await openPaidAccount(accounts)
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port2.close())
  const share = accounts.attach(port1).live
  return { accounts, ...paid, share, live: new LiveState(share) }
}

const lost = {
  name: 'SharedStateError',
  message: /^thread 1 has died with a lock .*; thread 0 gave up waiting$/,
}

t.test('a lost lock of an account stops all charging', async t => {
  const { accounts, id, key: secret, share, live } = await openShared(t)
  const { charging } = accounts
  const key = keyOf(accounts, secret)
  const word = liveParts(share.slots).lines + accounts.slotOf(id) * LINE_WORDS
  await loseLock(share, word)
  t.ok(charging.healthy, 'nobody has missed the lock yet')
  t.throws(() => charging.checkFunds(key, 1), lost)
  t.ok(live.isStopped)
  t.notOk(charging.healthy)
  t.equal(charging.charge(key, 0, 1), 'unavailable')
  Atomics.store(live.words, word, 0)
  t.equal(charging.charge(key, 0, 1), 'unavailable', 'only a start makes the memory sound again')
})

t.test('a lost lock of the table of keys stops all charging', async t => {
  const { accounts, key, share, live } = await openShared(t)
  await loseLock(share, LIVE_HEADER.keyTable)
  t.throws(() => keyOf(accounts, key), lost)
  t.ok(live.isStopped)
  Atomics.store(live.words, LIVE_HEADER.keyTable, 0)
})
