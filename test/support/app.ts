/** Runs the data plane in this process on fixture data. */
import uws from 'uWebSockets.js'
import type { Test } from 'tap'
import { type Accounts, type AccountsOptions, openAccounts } from '../../src/billing/accounts/accounts.ts'
import type { PostalIndex } from '../../src/postal/index/postal-index.ts'
import { Clients } from '../../src/service/api/clients.ts'
import { ThreadContext } from '../../src/service/api/request.ts'
import { CHARGED } from '../../src/service/endpoints/table.ts'
import { AnswerHeads } from '../../src/service/http/answer-heads.ts'
import { bodyBounds } from '../../src/service/http/body.ts'
import { type Counts, ProcessCounts, ThreadCounts } from '../../src/service/http/counts.ts'
import { type AppParts, createApp } from '../../src/service/http/routes.ts'
import { Workers } from '../../src/service/workers/workers.ts'
import { openPaidAccount } from './accounts.ts'
import { fixtureIndex } from './fixture-index.ts'
import { temporaryFolder } from './temporary-folder.ts'

export type TestApp = Awaited<ReturnType<typeof startApp>>

export function newCounts(): Counts {
  return { thread: new ThreadCounts(), shared: new ProcessCounts() }
}

/** Maximum number of connections: more than any test opens. */
const CONNECTIONS_MAX = 10_000

/**
 * @param workers closed with the app; one by default
 * @param overrides parts of the app, the index, and queries that the app's account can pay for
 * @param open opens the accounts in the app's folder
 */
export async function startApp(
  t: Test,
  workers: Workers = new Workers(1),
  {
    index: givenIndex,
    queries,
    ...overrides
  }: Partial<AppParts> & { index?: PostalIndex; queries?: number } = {},
  accountsOptions: Partial<AccountsOptions> = {},
  open: (options: AccountsOptions) => Promise<Accounts> = openAccounts,
) {
  const folder = temporaryFolder(t)
  const index = givenIndex ?? fixtureIndex(folder)
  const accounts = await open({ dir: folder, usageClasses: CHARGED, ...accountsOptions })
  const { charging } = accounts
  const openAccount = (queries?: number) => openPaidAccount(accounts, queries)
  const { keyId, key } = await openAccount(queries)
  const context = new ThreadContext(index, charging, workers)
  const errors: unknown[] = []
  const counts = overrides.counts ?? newCounts()
  const parts = createApp({
    context,
    connectionsMax: CONNECTIONS_MAX,
    report: error => errors.push(error),
    isDraining: () => false,
    counts,
    bodyBounds: bodyBounds(1),
    observers: { heads: new AnswerHeads([]) },
    clients: new Clients(),
    ...overrides,
  })
  const { app } = parts
  const port = await new Promise<number>(resolve => {
    app.listen('127.0.0.1', 0, socket => resolve(uws.us_socket_local_port(socket)))
  })
  let closing: Promise<void> | null = null
  /** Stops the app. The end of the test calls it, too. */
  const close = () => {
    closing ??= (async () => {
      app.close()
      await workers.close()
      await accounts.close()
    })()
    return closing
  }
  t.teardown(close)
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    key,
    context,
    accounts,
    openAccount,
    parts,
    counts,
    errors,
    spentMicros: () => accounts.key(keyId)?.spentMicros ?? Number.NaN,
    close,
  }
}
