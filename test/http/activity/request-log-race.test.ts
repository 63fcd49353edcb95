/** A reader sees what its account has asked and nothing else, while another thread writes and blocks change hands. */
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { BLOCK_BYTES } from '../../../src/http/activity/request-log-layout.ts'
import { readRequestLog } from '../../../src/http/activity/request-log-reader.ts'

const ACCOUNTS = 100
const BLOCKS = 80
const REQUESTS = 1_000_000

t.test('no entry of another account, and no half of one', async t => {
  const heads = new SharedArrayBuffer(ACCOUNTS * 4)
  const blocks = new SharedArrayBuffer(BLOCKS * BLOCK_BYTES)
  const workerData = { heads, blocks, accounts: ACCOUNTS, requests: REQUESTS }
  const worker = new Worker(new URL('./log-writer.js', import.meta.url), { workerData })
  let isDone = false
  const done = once(worker, 'message').then(() => {
    isDone = true
  })
  let reads = 0
  let entries = 0
  for (let slot = 0; !isDone; slot = (slot + 1) % ACCOUNTS) {
    for (const { key, durationMicros, queries, code } of readRequestLog(heads, blocks, slot)) {
      entries++
      if (key !== slot || durationMicros !== slot || queries !== slot || code !== String(slot)) {
        t.fail(`account ${slot} sees ${JSON.stringify({ key, durationMicros, queries, code })}`)
        return
      }
    }
    // Lets the message in.
    if (++reads % 50 === 0) await setImmediate()
  }
  await done
  t.ok(entries > 0, `${entries} entries in ${reads} reads`)
})
