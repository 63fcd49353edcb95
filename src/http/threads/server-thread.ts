/**
 * The entry of a server thread: connects `Serving` with the ledger thread. A thread has its app, its caches and its registers
 * alone, and reads the index and charges in memory that all threads share. So it answers a request without waiting for anybody.
 */
// First, because of what the others load.
import './at-gate.ts'
import { setImmediate } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { SharedCharging } from '../../accounts/charging/shared-charging.ts'
import { SharedStateError } from '../../accounts/errors.ts'
import { prepareStates } from '../../index/cities/states.ts'
import type { LentIndex } from '../../index/loans.ts'
import type { PostalIndex } from '../../index/postal-index.ts'
import { borrowedIndex } from '../../index/served-index.ts'
import { Clients } from '../clients.ts'
import { openObservers } from '../observers.ts'
import { ProcessCounts } from '../shared/process-counts.ts'
import { ThreadCounts } from '../shared/thread-counts.ts'
import type { FromThread, ToThread } from './messages.ts'
import { RemoteTasks } from './remote-tasks.ts'
import { Serving } from './serving.ts'

/** Undefined where there are no bulk workers. */
let tasks: RemoteTasks | undefined
/** The id of the index that is served. */
let indexId = 0
let serving: Serving | undefined

// An error that ended the thread while its sockets are open would abort the process without a word.
process.on('uncaughtException', error => void fail(error))
parentPort?.on('message', (message: ToThread) => {
  receive(message).catch(fail)
})

async function receive(message: ToThread): Promise<void> {
  switch (message.kind) {
    case 'serve':
      return serve(message)
    case 'index':
      return replaceIndex(message)
    case 'done':
    case 'undone':
      return tasks?.ended(message)
    case 'close':
      await serving?.close()
      // Nothing else keeps the thread alive.
      return parentPort?.close()
    default:
      message satisfies never
  }
}

async function serve({ start, ...message }: Extract<ToThread, { kind: 'serve' }>): Promise<void> {
  const { threads, bulkWorkers, bounds } = start
  const [index, meter, observers] = await Promise.all([
    preparedIndex(message.index),
    SharedCharging.open(start.share, start.accountsPort),
    openObservers(start.observers),
  ])
  indexId = message.index.id
  const counts = { thread: new ThreadCounts(start.counts), shared: new ProcessCounts(start.sharedCounts) }
  const clients = new Clients(start.proxies)
  if (bulkWorkers > 0) tasks = new RemoteTasks(bulkWorkers, threads, counts.shared, post)
  serving = new Serving({ index, meter, threads, tasks, bounds, clients, counts, observers, report })
  try {
    post({ kind: 'listening', port: await serving.listen(message.host, message.port) })
  } catch {
    post({ kind: 'listening', port: null })
  }
}

async function replaceIndex({ index: lent }: Extract<ToThread, { kind: 'index' }>): Promise<void> {
  const index = await preparedIndex(lent)
  const previousId = indexId
  indexId = lent.id
  await serving?.replaceIndex(index)
  post({ kind: 'left', indexId: previousId })
}

/** With what the first city search would hold the thread up for. */
async function preparedIndex(lent: LentIndex): Promise<PostalIndex> {
  const index = await borrowedIndex(lent)
  await prepareStates(index, setImmediate)
  return index
}

function report(error: unknown, id: string): void {
  post({ kind: 'report', error, id })
  // What all threads share is not sound any more: no thread may go on.
  if (error instanceof SharedStateError) void fail(error)
}

/** Ends the thread, and with it the process. */
async function fail(error: unknown): Promise<void> {
  post({ kind: 'failed', error })
  // Not within a callback of a socket, which goes on after this.
  await setImmediate()
  try {
    await serving?.abandon()
  } finally {
    process.exit(1)
  }
}

function post(message: FromThread, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}
