import t from 'tap'
import { bytesKey, HourlyCounts, hourlyMemory } from '../../../src/http/activity/hourly-counts.ts'
import { seededRandom } from '../../support/random.ts'

t.test('counts of keys and hours are those of a Map while there is room', async t => {
  const random = seededRandom(5)
  const counts = new HourlyCounts(hourlyMemory(4096))
  const expected = new Map<string, number>()
  for (let i = 0; i < 20_000; i++) {
    const low = random(100)
    const hour = 480_000 + random(10)
    const column = random(4)
    if (!counts.add({ high: 0, low }, hour, column)) t.fail(`no room for ${low} ${hour}`)
    const name = `${low} ${hour} ${column}`
    expected.set(name, (expected.get(name) ?? 0) + 1)
  }
  for (const [name, count] of expected) {
    const [low, hour, column] = name.split(' ').map(Number)
    if (counts.get({ high: 0, low }, hour, column) !== count) t.fail(`${name}: expected ${count}`)
  }
})

t.test('a flood of keys takes the room of earlier hours, and within an hour the first stay', async t => {
  const counts = new HourlyCounts(hourlyMemory(64))
  const key = (text: string) => bytesKey(Buffer.from(text), text.length)
  counts.add(key('pk_live_old1'), 100, 0)
  counts.add(key('pk_live_new1'), 101, 0)
  let refused = 0
  for (let i = 0; i < 10_000; i++) if (!counts.add(key(`pk_live_${i}`), 101, 0)) refused++
  t.ok(refused > 9000, `${refused} had no room`)
  t.equal(counts.get(key('pk_live_new1'), 101, 0), 1)
  t.equal(counts.get(key('pk_live_old1'), 100, 0), 0)
  t.ok(counts.add(key('pk_live_new2'), 102, 0), 'the next hour has room again')
})
