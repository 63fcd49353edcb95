/** Counts that all threads share: as a `Map` would count, and none lost between threads. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { addressTallyKey, Tally, tallyMemory, textTallyKey } from '../../../src/http/shared/tally.ts'
import { seededRandom } from '../../support/random.ts'

t.test('it counts as a Map does', async t => {
  const random = seededRandom(7)
  const tally = new Tally(tallyMemory(1024))
  let expected = new Map<string, number>()
  let epoch = 1
  for (let step = 0; step < 20_000; step++) {
    if (random(2000) === 0) {
      epoch++
      expected = new Map()
    }
    const address = `c0a800${random(100).toString(16).padStart(2, '0')}`
    const max = random(2) === 0 ? 20 : Number.POSITIVE_INFINITY
    const amount = 1 + random(3)
    const count = (expected.get(address) ?? 0) + amount
    if (count <= max) expected.set(address, count)
    if (tally.add(addressTallyKey(address), epoch, amount, max) !== count)
      t.fail(`step ${step}: ${address} in epoch ${epoch}`)
  }
})

t.test('a thread that is late with the minute counts in the present one', async t => {
  const tally = new Tally(tallyMemory(16))
  const key = textTallyKey('a')
  t.equal(tally.add(key, 8, 1), 1)
  t.equal(tally.add(key, 7, 1), 2)
  t.equal(tally.add(key, 9, 1), 1)
})

t.test('a full table says so, and has room again in the next minute', async t => {
  const tally = new Tally(tallyMemory(16))
  const counts = Array.from({ length: 40 }, (_, i) => tally.add(textTallyKey(`key ${i}`), 1, 1))
  t.equal(counts.filter(count => count === 1).length, 16)
  t.equal(counts.filter(count => count === -1).length, 24)
  t.equal(tally.add(textTallyKey('key 39'), 2, 1), 1)
})

t.test('counts are corrected in one step', async t => {
  const tally = new Tally(tallyMemory(64))
  const countOf = (name: string) => tally.add(textTallyKey(name), 0, 0)
  tally.add(textTallyKey('gone'), 0, 5)
  tally.add(textTallyKey('fewer'), 0, 5)
  tally.correct(
    [
      [textTallyKey('fewer'), 2],
      [textTallyKey('new'), 3],
    ],
    0,
  )
  t.same(['gone', 'fewer', 'new'].map(countOf), [0, 2, 3])
  tally.add(textTallyKey('other'), 0, 4)
  tally.correct([[textTallyKey('new'), 1]], 3)
  t.same(
    ['gone', 'fewer', 'new', 'other'].map(countOf),
    [0, 2, 3, 3],
    'no more than before, and no more than found and added',
  )
})

t.test('IPv4 addresses and networks of IPv6 are apart', async t => {
  const keys = ['7f000001', '20010db800000001', '0000000000000000', '000000007f000001'].map(addressTallyKey)
  t.equal(new Set(keys.map(({ high, low }) => `${high} ${low}`)).size, keys.length)
})

t.test('four threads that count at the same time lose nothing', async t => {
  const threads = 4
  const rounds = 20_000
  const memory = tallyMemory(1024)
  const workers = Array.from(
    { length: threads },
    () => new Worker(new URL('./tally-adder.js', import.meta.url), { workerData: { memory, rounds } }),
  )
  await Promise.all(workers.map(worker => once(worker, 'exit')))
  const tally = new Tally(memory)
  for (const key of ['a', 'b', 'c']) t.equal(tally.add(textTallyKey(key), 0, 0), threads * rounds, key)
})
