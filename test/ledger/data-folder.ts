/** Accounts and keys on a real data folder, before a server runs there, and what a dead server left. */
import { Accounts } from '../../src/accounts/accounts.ts'
import { queriesSum } from '../../src/ledger/book/record.ts'
import { ledgerFolder } from '../../src/ledger/disk/files.ts'
import { nodeFileSystem } from '../../src/ledger/disk/node-file-system.ts'
import { recover } from '../../src/ledger/recover.ts'

export interface PreparedKey {
  id: string
  account: string
  secret: string
  /** Queries that were found on it so far. */
  queries: number
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
      keys.push({ id: key.id, account: id, secret: key.key, queries: 0 })
    }
  }
  await accounts.close()
  return keys
}

/** Queries by key and balances by account, as a start would find them. Changes nothing. */
export async function inspect(
  dir: string,
): Promise<{ queries: Map<string, number>; balances: Map<string, number> }> {
  const { book, rowsAhead } = await recover(nodeFileSystem, ledgerFolder(dir))
  book.apply({ kind: 'usage', rows: rowsAhead }, Date.now(), Number.MAX_SAFE_INTEGER)
  return {
    queries: new Map([...book.keys.values()].map(key => [key.id, queriesSum(key)])),
    balances: new Map(
      [...book.accounts.values()].map(({ id, creditedMicros, spentMicros }) => [
        id,
        creditedMicros - spentMicros,
      ]),
    ),
  }
}
