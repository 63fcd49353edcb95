/** A fleet of real processes on a real PostgreSQL. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Accounts } from '../../../src/billing/accounts/accounts.ts'
import { openFleetDatabase } from '../../../src/billing/fleet/fleet-database.ts'
import { NEW_ACCOUNT_CREDIT_MICROS, QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { TestPostgres } from '../../support/postgres.ts'
import { postrieJson, startServer, type TestServer } from '../../support/processes.ts'
import { sendCopies } from '../../support/threads.ts'
import { openNode } from './support.ts'

export type FleetNode = { folder: string; port: number; server: TestServer }

export class Fleet {
  readonly postgres: TestPostgres
  readonly nodes: FleetNode[] = []
  /** Node of the commands. */
  readonly #folder = mkdtempSync(join(tmpdir(), 'postrie-fleet-'))
  readonly #env: NodeJS.ProcessEnv
  #opened = 0

  private constructor(postgres: TestPostgres, url: string) {
    this.postgres = postgres
    this.#env = { ACCOUNTS: url, INDEX_FILE: DEFAULT_INDEX, LOG_LEVEL: 'warn', BULK_WORKERS: '0' }
  }

  /** Starts `nodes` nodes until the test ends. The first creates the tables, the others start together. */
  static async start(t: Test, nodes: number, env: NodeJS.ProcessEnv = {}): Promise<Fleet> {
    // Commits survive a crash of the server, as in production.
    const postgres = await TestPostgres.start({ isDurable: true })
    const fleet = new Fleet(postgres, postgres.url)
    t.teardown(async () => {
      for (const { server } of fleet.nodes) await server.stop('SIGKILL')
      await postgres.stop()
      for (const { folder } of fleet.nodes) rmSync(folder, { recursive: true })
      rmSync(fleet.#folder, { recursive: true })
    })
    if (nodes > 0) await fleet.add(env)
    await Promise.all(Array.from({ length: Math.max(0, nodes - 1) }, () => fleet.add(env)))
    return fleet
  }

  async add(env: NodeJS.ProcessEnv = {}): Promise<FleetNode> {
    const folder = mkdtempSync(join(tmpdir(), 'postrie-node-'))
    const server = await startServer(folder, { ...this.#env, HTTP_THREADS: '1', ...env })
    const node = { folder, server, port: Number(new URL(server.api).port) }
    this.nodes.push(node)
    return node
  }

  /** Starts a node again in its folder, on another port. */
  async restart(node: FleetNode, env: NodeJS.ProcessEnv = {}): Promise<void> {
    node.server = await startServer(node.folder, { ...this.#env, HTTP_THREADS: '1', ...env })
    node.port = Number(new URL(node.server.api).port)
  }

  /** Runs a command in the folder of `node`, or in a folder of its own. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail when one is missing
  command(args: readonly string[], node?: FleetNode): Promise<any> {
    return postrieJson(node?.folder ?? this.#folder, args, this.#env)
  }

  /** Works on accounts through a node in this process. Many processes of commands would take longer. */
  async withAccounts<T>(work: (accounts: Accounts) => Promise<T>): Promise<T> {
    const store = await openFleetDatabase(this.postgres.url)
    const { accounts } = await openNode({ dir: join(this.#folder, 'in-process'), database: store })
    return work(accounts).finally(() => accounts.close())
  }

  /** Opens an account that pays for `queries`, at least 1,000, with a key that every node knows. */
  async openAccount(queries: number): Promise<{ id: string; email: string; keyId: string; key: string }> {
    const opened = await this.withAccounts(async accounts => {
      const { id, email } = await accounts.createAccount({ email: `fleet${this.#opened++}@example.com` })
      const micros = queries * QUERY_PRICE_MICROS - NEW_ACCOUNT_CREDIT_MICROS
      if (micros > 0) await accounts.credit({ account: id, micros, kind: 'operator', reference: email })
      const { id: keyId, secret: key } = await accounts.createKey(id)
      return { id, email, keyId, key }
    })
    await this.untilKnown(opened.key)
    return opened
  }

  /** Waits until every node knows a key, and so all changes before it. */
  async untilKnown(key: string): Promise<void> {
    const request = { path: '/api/balance', body: JSON.stringify({ apiKey: key }) }
    for (const { port } of this.nodes) while ((await sendCopies(port, 1, 1, request))[200] !== 1);
  }

  dump(): Promise<void> {
    return this.postgres.dump('postrie', join(this.#folder, 'dump.sql'))
  }

  restore(): Promise<void> {
    return this.postgres.restore(join(this.#folder, 'dump.sql'))
  }

  /** Reads the account from the database. */
  async readAccount(id: string): Promise<{ credited: number; spent: number; leased: number }> {
    const rows = await this.postgres.query(
      `select c.most as credited, c.used as spent, c.leased from postrie.counter c join postrie.holder h on h.slot = c.holder
         where h.id = $1 and c.kind = 0`,
      [id],
    )
    const { credited, spent, leased } = rows[0]
    return { credited: Number(credited), spent: Number(spent), leased: Number(leased) }
  }
}
