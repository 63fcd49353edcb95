/** The ring of each account, against a plain list of everything that was added. */
import t from 'tap'
import { RequestLog } from '../../../src/http/activity/request-log.ts'
import {
  BLOCK_BYTES,
  BLOCKS_PER_RING,
  ENTRIES_PER_BLOCK,
  GENERATION,
  OWNER,
  packResult,
} from '../../../src/http/activity/request-log-layout.ts'
import { readRequestLog } from '../../../src/http/activity/request-log-reader.ts'
import { seededRandom } from '../../support/random.ts'

const ACCOUNTS = 40
const RING = BLOCKS_PER_RING * ENTRIES_PER_BLOCK

function newLog(blocks: number) {
  const heads = new SharedArrayBuffer(ACCOUNTS * 4)
  const memory = new SharedArrayBuffer(blocks * BLOCK_BYTES)
  const log = new RequestLog(heads, memory)
  let timeMs = 1_700_000_000_000
  const add = (slot: number, code = '') => {
    const bytes = Buffer.from(code)
    const country = 0x55 | (0x53 << 8)
    timeMs++
    log.add(
      slot,
      timeMs,
      12,
      slot * 10,
      packResult(404, 3, 1000),
      country,
      code === '' ? undefined : bytes,
      0,
      bytes.length,
    )
    return timeMs
  }
  const times = (slot: number) =>
    readRequestLog(heads, memory, slot)
      .map(request => request.timeMs)
      .sort((a, b) => a - b)
  const words = new Int32Array(memory)
  return { add, times, words, read: (slot: number) => readRequestLog(heads, memory, slot) }
}

t.test('an entry is read as it was added', async t => {
  const { add, read } = newLog(64)
  const timeMs = add(7, '90210')
  const expected = { timeMs, endpoint: 'validate', country: 'US', status: 404, durationMicros: 12, key: 70 }
  t.same(read(7), [{ ...expected, queries: 1000, code: '90210' }])
  t.same(read(6), [], 'another account sees nothing of it')
  add(7)
  t.equal(read(7)[1]?.code, null)
})

t.test('a block that is changing hands is not read', async t => {
  const { add, read, words } = newLog(64)
  add(0)
  words[GENERATION]++
  t.same(read(0), [])
  words[GENERATION]++
  t.equal(read(0).length, 1)
  words[OWNER]++
  t.same(read(0), [], 'nor is one of another account, to which an old pointer leads')
})

t.test('a busy account keeps its newest requests and takes nothing from a quiet one', async t => {
  const { add, times } = newLog(BLOCKS_PER_RING + 4)
  const quiet = [add(1), add(1)]
  const busy = Array.from({ length: 5000 }, () => add(2))
  t.same(times(1), quiet)
  const kept = times(2)
  t.ok(kept.length >= RING - ENTRIES_PER_BLOCK && kept.length <= RING, `${kept.length} entries`)
  t.same(kept, busy.slice(-kept.length))
})

t.test('more accounts than there is room for: each has its newest requests in a row, or none', async t => {
  const random = seededRandom(11)
  const { add, times } = newLog(64)
  const added = Array.from({ length: ACCOUNTS }, (): number[] => [])
  for (let i = 0; i < 50_000; i++) {
    // The low numbers come far more often.
    const slot = random(1 + random(ACCOUNTS))
    added[slot].push(add(slot))
    if (i % 500 !== 0) continue
    for (let each = 0; each < ACCOUNTS; each++) {
      const kept = times(each)
      t.ok(kept.length <= RING)
      if (kept.join() !== added[each].slice(added[each].length - kept.length).join()) {
        t.fail(`account ${each} after ${i} requests has ${kept.length} that are not its newest`)
        return
      }
    }
    if (times(slot).at(-1) !== added[slot].at(-1)) t.fail('the request that was just added is not there')
  }
})
