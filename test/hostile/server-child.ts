/** The data plane in a process of its own, with one server thread, apart from those who attack it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Accounts } from '../../src/accounts/accounts.ts'
import { BulkWorkers } from '../../src/bulk/workers.ts'
import { GAUGE } from '../../src/http/counts.ts'
import { ServerThreads } from '../../src/http/threads/server-threads.ts'
import { openServedIndex } from '../../src/index/served-index.ts'
import { writeIndex } from '../support/fixture-index.ts'
import type { Started, Stats } from './target.ts'

const dir = mkdtempSync(join(tmpdir(), 'postrie-hostile-'))
process.on('exit', () => rmSync(dir, { recursive: true, force: true }))

const index = await openServedIndex(writeIndex(dir))
const accounts = await Accounts.open({ dir })
const workers = new BulkWorkers(1)
await workers.start()
const errors: string[] = []
const threads = new ServerThreads({
  workers: [new Worker(new URL('./prompt-thread.js', import.meta.url))],
  bulkWorkers: 1,
  connectionsMax: 5000,
  tasks: workers,
  observers: { answerHeaders: [], corsOrigins: [], traceShare: 0, keepsRequests: false },
  events: {
    report: error => errors.push(String(error)),
    noted: () => {},
    died: error => {
      throw error
    },
  },
})
/** The account of requests that are meant, and that of requests that must never be executed. */
const keys = await Promise.all(['honest', 'smuggled'].map(name => openAccount(name)))

async function openAccount(name: string): Promise<{ id: string; key: string }> {
  const { id } = await accounts.createAccount({ email: `${name}@example.org` })
  await accounts.credit({ account: id, micros: 1_000_000_000, reference: name, kind: 'test' })
  return accounts.createKey(id)
}

function stats(): Stats {
  const [spentMicros, smuggledMicros] = keys.map(({ id }) => accounts.key(id)?.spentMicros ?? Number.NaN)
  const heldBytes = threads.counts[0].gauges[GAUGE.heldBytes]
  return { spentMicros, smuggledMicros, errors, heldBytes }
}

process.on('message', async message => {
  if (message === 'stats') process.send?.(stats())
  else {
    await threads.close()
    await workers.close()
    await accounts.close()
    process.exit()
  }
})
// A test that failed must not leave its server behind.
process.on('disconnect', () => process.exit())

const port = await threads.serve(accounts, index, '127.0.0.1', 0)
process.send?.({ port, key: keys[0].key, smuggledKey: keys[1].key } satisfies Started)
