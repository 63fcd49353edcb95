/** Shared by the tests of moves from a ledger to a fleet: a ledger, an empty fleet, and views of both. */
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { preflight } from '../../src/cli/preflight.ts'
import type { Book } from '../../src/ledger/book/book.ts'
import { Ledger, type LedgerOptions } from '../../src/ledger/ledger.ts'
import { QUERY_PRICE_MICROS } from '../../src/money.ts'
import { readConfig } from '../../src/settings/config.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { freshSchema, sharedPostgres } from '../support/postgres.ts'
import type { Finished } from '../support/processes.ts'
import { writeRichLedger } from './rich-ledger.ts'
import { errorOf } from './support.ts'

const KILLER = fileURLToPath(new URL('../support/kill-before.js', import.meta.url))

export async function smallLedger(dir: string): Promise<{ dir: string; url: string }> {
  await writeRichLedger(dir, 3)
  return { dir, url: await freshUrl() }
}

export async function freshUrl(): Promise<string> {
  return `${(await sharedPostgres()).url}?schema=${freshSchema()}`
}

export async function isFilled(url: string): Promise<boolean> {
  const server = await sharedPostgres()
  const [{ table }] = await server.query(`select to_regclass('${schemaOf(url)}.snapshot') as table`)
  return table !== null && (await server.query(`select from ${table}`)).length > 0
}

/** Has every transaction that changes the fleet fail at its commit, until the function that is returned has run. */
export async function failCommits(schema: string): Promise<() => Promise<void>> {
  const server = await sharedPostgres()
  await server.query(
    `create function ${schema}.fail() returns trigger language plpgsql as 'begin raise exception ''no commits today''; end';
     create constraint trigger fail after update on ${schema}.fleet deferrable initially deferred for each row
       execute function ${schema}.fail()`,
  )
  return async () => {
    await server.query(`drop function ${schema}.fail() cascade`)
  }
}

/** Why a start without ACCOUNTS is refused, or null. */
export async function whyRefused(dir: string): Promise<string | null> {
  const error = await errorOf(Ledger.open(options(dir)).then(ledger => ledger.close()))
  return error instanceof Error ? error.message : null
}

/** Returns what `postrie serve --check` says besides what every start needs. */
export async function ledgerProblems(dir: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const own = { DATA_DIR: dir, INDEX_FILE: writeIndex(dir), PORT: '0', CONTROL_PORT: '0' }
  const { problems } = await preflight(readConfig({ ...own, ...env }))
  return problems.map(({ message }) => message)
}

export function schemaOf(url: string): string {
  return new URL(url).searchParams.get('schema') ?? ''
}

export function opened(dir: string): Promise<Ledger> {
  return Ledger.open({ ...options(dir), mayBeMoved: true })
}

function options(dir: string): LedgerOptions {
  return {
    ...{ dir, mayCreate: false, priceMicros: QUERY_PRICE_MICROS },
    onFail(error) {
      throw error
    },
  }
}

export async function bookIn(dir: string): Promise<Book> {
  const ledger = await opened(dir)
  await ledger.close()
  return ledger.book
}

export function killBefore(at: number, operation: string, below: string): NodeJS.ProcessEnv {
  return {
    NODE_OPTIONS: `--import=${KILLER}`,
    KILL_AT: `${at}`,
    KILL_OPERATIONS: operation,
    KILL_BELOW: below,
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail when one is missing
export function ok(t: Test, { code, stdout, stderr }: Finished): any {
  t.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

export function refused(t: Test, { code, stderr }: Finished, message: RegExp, expected = 1): void {
  t.equal(code, expected, stderr)
  t.match(stderr, message)
}
