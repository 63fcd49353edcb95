/** Server thread. It reads the index and charges in shared memory, without waiting for another thread. */

import uws, { type us_listen_socket } from 'uWebSockets.js'
import { setImmediate } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import { SharedStateError } from '../../../billing/accounts/account-error.ts'
import { openCharging } from '../../../billing/accounts/charging/thread-charging.ts'
import { SHUTDOWN_GRACE_MS } from '../../../platform/limits.ts'
import { finishesWithin } from '../../../platform/promises.ts'
import { borrowIndex } from '../../../postal/index/index-memory.ts'
import { Clients } from '../../api/clients.ts'
import { ThreadContext } from '../../api/request.ts'
import type { WorkerResult } from '../../workers/worker-result.ts'
import type { WorkerPool } from '../../workers/workers.ts'
import { ActivityWriter } from '../activity/activity-writer.ts'
import { AnswerHeads } from '../answer-heads.ts'
import { bodyBounds } from '../body.ts'
import { GAUGE, ProcessCounts, ThreadCounts, TOTAL } from '../counts.ts'
import { countTime } from '../histogram.ts'
import type { Observers } from '../replies.ts'
import { createApp, type DataApp, listen } from '../routes.ts'
import type { FromThread, ThreadSettings, ThreadStart, ToThread } from './thread-messages.ts'

/** Time between measurements of the delay. A shorter pause is seen only by chance. */
const TICK_MS = 100
/** Measurements of the delay for each measurement of the heap. */
const HEAP_TICKS = 20

interface Serving extends DataApp {
  readonly context: ThreadContext
  readonly activity: Observers['activity']
  readonly accountsPort: ThreadStart['accountsPort']
  socket?: us_listen_socket
}

type TaskEnd = Extract<ToThread, { kind: 'taskDone' | 'taskFailed' }>

/** Ends tasks by id. */
const endTask = new Map<number, (end: TaskEnd) => void>()
let lastTask = 0
let indexId = 0
let serving: Serving | undefined
let isDraining = false

// An uncaught error would end the thread, and its open sockets would abort the process silently.
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
    case 'taskDone':
    case 'taskFailed':
      endTask.get(message.id)?.(message)
      endTask.delete(message.id)
      return
    case 'close':
      await close()
      // Only the port keeps the thread alive.
      return parentPort?.close()
    default:
      message satisfies never
  }
}

async function serve(message: Extract<ToThread, { kind: 'serve' }>): Promise<void> {
  const { start, index: lent, host, port } = message
  const { threads, bulkWorkers, connectionsMax, trustedProxies, accountsPort } = start
  const [index, charging, observers] = await Promise.all([
    borrowIndex(lent),
    openCharging(start.share, accountsPort),
    openObservers(start),
  ])
  indexId = lent.id
  const counts = {
    thread: new ThreadCounts(start.threadCounts),
    shared: new ProcessCounts(start.processCounts),
  }
  const pool = bulkWorkers > 0 ? remotePool(bulkWorkers, counts.shared) : undefined
  const context = new ThreadContext(index, charging, pool)
  const dataApp = createApp({
    context,
    connectionsMax,
    report,
    isDraining: () => isDraining,
    counts,
    observers,
    clients: new Clients(trustedProxies),
    bodyBounds: bodyBounds(threads),
  })
  watchThread(counts.thread)
  serving = { ...dataApp, context, activity: observers.activity, accountsPort }
  const socket = await listen(dataApp.app, host, port, threads > 1)
  if (socket !== false) serving.socket = socket
  post({ kind: 'listening', port: socket === false ? null : uws.us_socket_local_port(socket) })
}

/** Gives tasks to the ledger thread, which owns the bulk workers. */
function remotePool(workers: number, { cells }: ProcessCounts): WorkerPool {
  return {
    get waiting() {
      return Math.max(0, Atomics.load(cells, TOTAL.workerTasks) - workers)
    },
    run(task) {
      Atomics.add(cells, TOTAL.workerTasks, 1)
      const id = ++lastTask
      const ended = new Promise<WorkerResult>((resolve, reject) => {
        endTask.set(id, end => (end.kind === 'taskDone' ? resolve(end.result) : reject(end.error)))
        post({ kind: 'task', id, task }, [task.body.buffer])
      })
      return ended.finally(() => Atomics.sub(cells, TOTAL.workerTasks, 1))
    },
  }
}

/** Measures the delay of the event loop, and the heap. */
function watchThread(counts: ThreadCounts): void {
  let dueMs = performance.now() + TICK_MS
  let ticks = 0
  setInterval(() => {
    const nowMs = performance.now()
    countTime(counts.delays, (nowMs - dueMs) * 1000)
    dueMs = nowMs + TICK_MS
    if (ticks++ % HEAP_TICKS === 0) counts.gauges[GAUGE.heapBytes] = getHeapStatistics().used_heap_size
  }, TICK_MS).unref()
}

async function openObservers(settings: ThreadSettings): Promise<Observers> {
  const { answerHeaders, corsOrigins, traceShare, keepsRequests } = settings
  const heads = new AnswerHeads(answerHeaders, corsOrigins)
  const activity = new ActivityWriter(keepsRequests, notes => post({ kind: 'activity', notes }))
  if (traceShare === 0) return { heads, activity }
  const { requestTracer } = await import('../tracing.ts')
  return { heads, activity, tracer: requestTracer(traceShare) }
}

/** Answers from another index, and posts `indexLeft` when this thread no longer reads the previous one. */
async function replaceIndex({ index: lent }: Extract<ToThread, { kind: 'index' }>): Promise<void> {
  const index = await borrowIndex(lent)
  const previousId = indexId
  indexId = lent.id
  if (serving !== undefined) {
    const { context } = serving
    const previous = context.index
    context.replaceIndex(index)
    await previous.loans.retire()
  }
  post({ kind: 'indexLeft', indexId: previousId })
}

/** Stops accepting, answers the requests in progress, closes connections, and releases everything. */
async function close(): Promise<void> {
  isDraining = true
  if (serving === undefined) return
  const { socket, replies, context, activity } = serving
  if (socket !== undefined) uws.us_listen_socket_close(socket)
  await finishesWithin(replies.finished(), SHUTDOWN_GRACE_MS)
  activity?.flush()
  await abandon()
  await context.index.loans.retire()
}

async function abandon(): Promise<void> {
  serving?.app.close()
  serving?.accountsPort.close()
}

function report(error: unknown, id: string): void {
  post({ kind: 'requestFailed', error, id })
  // Shared memory is unsound, so no thread may go on.
  if (error instanceof SharedStateError) void fail(error)
}

async function fail(error: unknown): Promise<void> {
  post({ kind: 'failed', error })
  // A callback of a socket must return first.
  await setImmediate()
  try {
    await abandon()
  } finally {
    process.exit(1)
  }
}

function post(message: FromThread, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}
