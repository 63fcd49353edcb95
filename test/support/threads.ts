/** Runs server threads in this process on fixture data, with clients that keep all threads busy. */

import type { Test } from 'tap'
import type { AccountsOptions } from '../../src/billing/accounts/accounts.ts'
import { ActivityLog } from '../../src/service/http/activity/activity-log.ts'
import { ServedIndex } from '../../src/service/http/served-index.ts'
import { launchThreads } from '../../src/service/http/threads/launch.ts'
import { serverThreads } from '../../src/service/http/threads/server-threads.ts'
import { Workers } from '../../src/service/workers/workers.ts'
import { openAccounts, openPaidAccount } from './accounts.ts'
import { fixtureIndex } from './fixture-index.ts'
import { createMemoryLog } from './kept-log.ts'
import { RawSocket, rawPost } from './raw-socket.ts'
import { temporaryFolder } from './temporary-folder.ts'

export type TestThreads = Awaited<ReturnType<typeof startThreads>>

/** Maximum number of connections of a server: more than any test opens. */
const CONNECTIONS = 10_000

/**
 * @param indexFile the fixture's index by default
 * @param workers threads that the test has started itself
 */
export async function startThreads(
  t: Test,
  count: number,
  {
    connectionsMax = CONNECTIONS,
    indexFile,
    trustedProxies = [],
    workers = launchThreads(count),
    ...options
  }: {
    connectionsMax?: number
    indexFile?: string
    trustedProxies?: string[]
    workers?: ReturnType<typeof launchThreads>
  } & Partial<AccountsOptions> = {},
) {
  const folder = temporaryFolder(t)
  const served = await ServedIndex.open(indexFile ?? fixtureIndex(folder).path, createMemoryLog().log)
  const accounts = await openAccounts({ dir: folder, ...options })
  const pool = new Workers(1)
  const errors: unknown[] = []
  const activity = new ActivityLog(1024 * 1024)
  const threads = serverThreads({
    launched: workers,
    bulkWorkers: 1,
    connectionsMax,
    trustedProxies,
    answerHeaders: [],
    corsOrigins: [],
    keepsRequests: true,
    traceShare: 0,
    pool,
    events: {
      report: error => errors.push(error),
      died: error => errors.push(error),
      noted: notes => activity.add(notes),
    },
  })
  const port = await threads.serve(accounts, served.index, '127.0.0.1', 0)
  served.watch(index => threads.replaceIndex(index))
  t.teardown(async () => {
    await threads.close()
    await pool.close()
    await served.close()
    await accounts.close()
  })
  return {
    folder,
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    threads,
    accounts,
    served,
    activity,
    errors,
    openAccount: (queries: number) => openPaidAccount(accounts, queries),
  }
}

export interface Request {
  path: string
  body: string
}

export const lookupWith = (apiKey: string): Request => ({
  path: '/api/lookup',
  body: JSON.stringify({ apiKey, zipcode: '90210' }),
})

export interface ReceivedAnswer {
  status: number
  body: string
}

/**
 * Sends the requests of `next` over many connections until it returns undefined.
 * A connection belongs to one thread, so many connections reach every thread.
 * @param answered gets each answer, or undefined for a request without an answer
 */
export async function sendRequests(
  port: number,
  connections: number,
  next: () => Request | undefined,
  answered: (request: Request, answer: ReceivedAnswer | undefined) => void,
): Promise<void> {
  const client = async (raw: RawSocket) => {
    for (let request = next(); request !== undefined; request = next()) {
      raw.send(rawPost(request.path, request.body))
      const answer = await raw.answer()
      answered(request, answer)
      if (answer === undefined) return
    }
    raw.socket.destroy()
  }
  const opened = await Promise.allSettled(Array.from({ length: connections }, () => RawSocket.open(port)))
  const sockets = opened.flatMap(open => (open.status === 'fulfilled' ? [open.value] : []))
  const refused = opened.find(open => open.status === 'rejected')
  if (refused !== undefined) {
    for (const { socket } of sockets) socket.destroy()
    throw refused.reason
  }
  await Promise.all(sockets.map(client))
}

/** Sends `count` copies of one request. @returns the number of answers by status; 0 is no answer */
export async function sendCopies(
  port: number,
  connections: number,
  count: number,
  request: Request,
): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  let left = count
  await sendRequests(
    port,
    connections,
    () => (left-- > 0 ? request : undefined),
    (_request, answer) => {
      const status = answer?.status ?? 0
      counts[status] = (counts[status] ?? 0) + 1
    },
  )
  return counts
}
