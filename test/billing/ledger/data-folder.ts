/** Accounts and keys in a data folder, load on its server, and the state after its death. */

import { queriesSum } from '../../../src/billing/ledger/book/record.ts'
import { ledgerFolder } from '../../../src/billing/ledger/disk/files.ts'
import { nodeFileSystem } from '../../../src/billing/ledger/disk/node-file-system.ts'
import { recover } from '../../../src/billing/ledger/recover.ts'
import { openAccounts } from '../../support/accounts.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import type { TestServer } from '../../support/processes.ts'
import { sendRequests } from '../../support/threads.ts'

/** Settings of the server: more than one thread, and many syncs that a kill can hit. */
export const SERVED = { BULK_WORKERS: '0', HTTP_THREADS: '2', FLUSH_MS: '5', INDEX_FILE: DEFAULT_INDEX }
/** Maximum number of unanswered requests of a flood. */
export const FLOOD_CONNECTIONS = 8

export type PreparedKey = Awaited<ReturnType<typeof prepare>>

/** Creates a ledger with one account and one key. */
export async function prepare(dir: string, micros: number) {
  const accounts = await openAccounts({ dir })
  const { id: account } = await accounts.createAccount({ email: 'start@example.org', freeCredit: false })
  await accounts.credit({ account, micros, reference: 'start', kind: 'operator' })
  const { id, secret } = await accounts.createKey(account)
  await accounts.close()
  return { id, account, secret }
}

/** Reads the queries by key as a start would. Changes nothing. */
export async function inspect(dir: string): Promise<Map<string, number>> {
  const { book, unbookedRows } = await recover(nodeFileSystem, ledgerFolder(dir))
  book.apply({ kind: 'usage', rows: unbookedRows }, Date.now(), Number.MAX_SAFE_INTEGER)
  return new Map([...book.keys.values()].map(key => [key.id, queriesSum(key)]))
}

/** Charges a key as fast as the server answers, `count` times or until the server is gone. Returns the number of answers with 200. */
export async function flood(
  { api }: TestServer,
  apiKey: string,
  count = Number.POSITIVE_INFINITY,
): Promise<number> {
  const request = { path: '/api/validate', body: JSON.stringify({ zipcode: '90210', apiKey }) }
  let left = count
  let answered = 0
  await sendRequests(
    Number(new URL(api).port),
    FLOOD_CONNECTIONS,
    () => (left-- > 0 ? request : undefined),
    (_request, answer) => {
      if (answer?.status === 200) answered++
    },
  )
  return answered
}
