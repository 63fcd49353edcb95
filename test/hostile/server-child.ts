/** The data plane in a process of its own, with one server thread that is watched, apart from those who attack it. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Accounts } from '../../src/accounts/accounts.ts'
import { BulkWorkers } from '../../src/bulk/workers.ts'
import { activityMemory } from '../../src/http/activity/activity-memory.ts'
import type { ThreadLaunch } from '../../src/http/threads/launch.ts'
import { ServerThreads } from '../../src/http/threads/server-threads.ts'
import { openServedIndex } from '../../src/index/served-index.ts'
import { writeIndex } from '../support/fixture-index.ts'
import type { Pauses } from '../support/pauses.ts'
import type { Started, Stats } from './target.ts'
import type { TakePauses } from './watched-thread.ts'

/** Share of a moment for which a thread runs that has finished what it does after its start. */
const IDLE_SHARE = 0.05
const MOMENT_MS = 100

const dir = mkdtempSync(join(tmpdir(), 'postrie-hostile-'))
process.on('exit', () => rmSync(dir, { recursive: true, force: true }))

const index = await openServedIndex(writeIndex(dir))
const accounts = await Accounts.open({ dir, freeAnswersMax: 1_000_000_000 })
const workers = new BulkWorkers(1)
await workers.start()
const errors: string[] = []
const workerData: ThreadLaunch = { number: 0, gate: undefined }
const thread = new Worker(new URL('./watched-thread.js', import.meta.url), { workerData })
const observers = { answerHeaders: [], traceShare: 0 }
const threads = new ServerThreads({
  workers: [thread],
  bulkWorkers: 1,
  bounds: { max: 5000, perAddressMax: 5000 },
  tasks: workers,
  observers: activityMemory(1, 0).map(activity => ({ ...observers, activity })),
  events: {
    report: error => errors.push(String(error)),
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

async function stats(): Promise<Stats> {
  thread.postMessage({ kind: 'pauses' } satisfies TakePauses)
  let pauses: Pauses | undefined
  while (pauses === undefined) pauses = (await once(thread, 'message'))[0].pauses
  const [spentMicros, smuggledMicros] = keys.map(({ id }) => accounts.key(id)?.spentMicros ?? Number.NaN)
  const [{ takenBack, heldBytes }] = threads.counts
  return { spentMicros, smuggledMicros, errors, pauses, takenBack, heldBytes }
}

process.on('message', async message => {
  if (message === 'stats') process.send?.(await stats())
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
const { performance: watched } = thread
for (let share = 1; share > IDLE_SHARE; ) {
  const before = watched.eventLoopUtilization()
  await new Promise(resolve => setTimeout(resolve, MOMENT_MS))
  share = watched.eventLoopUtilization(before).utilization
}
process.send?.({ port, key: keys[0].key, smuggledKey: keys[1].key } satisfies Started)
