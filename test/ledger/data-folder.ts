/** Accounts and keys on a real data folder, load on the server that serves it, and what a dead server left. */
import { Accounts } from '../../src/accounts/accounts.ts'
import { queriesSum } from '../../src/ledger/book/record.ts'
import { ledgerFolder } from '../../src/ledger/disk/files.ts'
import { nodeFileSystem } from '../../src/ledger/disk/node-file-system.ts'
import { recover } from '../../src/ledger/recover.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import type { TestServer } from '../support/processes.ts'
import { storm } from '../support/threads.ts'

/** Settings of the server. Many syncs, to be killed in or to fail, and more than one thread. */
export const SERVED = { BULK_WORKERS: '0', HTTP_THREADS: '2', FLUSH_MS: '5', INDEX_FILE: DEFAULT_INDEX }
/** Requests of a flood that may be unanswered at a time. */
export const FLOOD_CONNECTIONS = 8

export interface PreparedKey {
  id: string
  account: string
  secret: string
}

export interface Preparation {
  accounts: number
  keysPerAccount: number
  micros: number
  /** Begins the reference of each account's credit and its email address. */
  prefix?: string
}

/** Opens accounts with `micros` each and creates their keys. */
export async function prepare(dir: string, preparation: Preparation): Promise<PreparedKey[]> {
  const { accounts: count, keysPerAccount, micros, prefix = 'start-' } = preparation
  const accounts = await Accounts.open({ dir })
  const keys: PreparedKey[] = []
  for (let index = 0; index < count; index++) {
    const { id } = await accounts.createAccount({ email: `${prefix}${index}@example.org`, freeCredit: false })
    await accounts.credit({ account: id, micros, reference: `${prefix}${index}`, kind: 'operator' })
    for (let nth = 0; nth < keysPerAccount; nth++) {
      const key = await accounts.createKey(id)
      keys.push({ id: key.id, account: id, secret: key.key })
    }
  }
  await accounts.close()
  return keys
}

/** Queries by key, as a start would find them. Changes nothing. */
export async function inspect(dir: string): Promise<Map<string, number>> {
  const { book, rowsAhead } = await recover(nodeFileSystem, ledgerFolder(dir))
  book.apply({ kind: 'usage', rows: rowsAhead }, Date.now(), Number.MAX_SAFE_INTEGER)
  return new Map([...book.keys.values()].map(key => [key.id, queriesSum(key)]))
}

/** Charges a key as fast as the server answers, `count` times or until the server is gone. Returns how often it answered 200. */
export async function flood(
  { api }: TestServer,
  apiKey: string,
  count = Number.POSITIVE_INFINITY,
): Promise<number> {
  const request = { path: '/api/validate', body: JSON.stringify({ zipcode: '90210', apiKey }) }
  let left = count
  let answered = 0
  await storm(
    Number(new URL(api).port),
    FLOOD_CONNECTIONS,
    () => (left-- > 0 ? request : undefined),
    (_request, answer) => {
      if (answer?.status === 200) answered++
    },
  )
  return answered
}
