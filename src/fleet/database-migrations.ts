/** Brings a schema up to this version: numbered files, each applied once, all in one transaction. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ConnectionOptions, DatabaseConnection } from './database-connection.ts'
import { isForbidden, storeError } from './database-errors.ts'
import { RefusedError } from './store.ts'

// Seen from dist/src/fleet: the compiler does not copy SQL.
const SQL = fileURLToPath(new URL('../../../src/fleet/sql/', import.meta.url))

/** A migration may have to rewrite a large table, and waits for those of other nodes. */
const MIGRATION_MS_MAX = 10 * 60_000

interface Migration {
  number: number
  name: string
  text: string
}

/** All migrations of this version, in order. */
export function migrations(): Migration[] {
  return readdirSync(SQL)
    .filter(name => name.endsWith('.sql'))
    .toSorted()
    .map(name => ({ number: Number.parseInt(name, 10), name, text: readFileSync(join(SQL, name), 'utf8') }))
}

/**
 * What a caller may do to the schema. `upgrade`: bring it up to this version, as the start of a server does. `create`: make one where
 * there is none, as a command does that is a node for a moment. `none`: change nothing. Only a server upgrades, because nodes of
 * earlier versions do not start any more after that.
 */
export type SchemaRights = 'upgrade' | 'create' | 'none'

/**
 * Applies what the schema has not seen yet, as far as `rights` allow it. Nodes that start at the same time wait for each other.
 * @throws RefusedError when the schema is not of this version afterwards; UnavailableError
 */
export async function migrate(options: ConnectionOptions, rights: SchemaRights): Promise<void> {
  let connection: DatabaseConnection | undefined
  try {
    connection = await DatabaseConnection.open({ ...options, queryMs: MIGRATION_MS_MAX })
    if (rights !== 'upgrade') {
      const version = await versionOf(connection, options)
      if (version > 0 || rights === 'none') return expectVersion(options.schema, version)
    }
    await connection.script('begin', options.queryMs)
    await apply(connection, options.schema)
    await connection.script('commit', options.queryMs)
  } catch (error) {
    if (rights !== 'none' && isForbidden(error)) throw forbidden(error, options)
    throw error instanceof RefusedError ? error : storeError(error)
  } finally {
    // Ends the transaction, when it has not been committed.
    await connection?.close()
  }
}

/** The number of the newest migration that a schema has seen; 0: it has no tables of a fleet. */
async function versionOf(connection: DatabaseConnection, { schema, queryMs }: ConnectionOptions) {
  const table = "select from pg_tables where schemaname = $1 and tablename = 'migration'"
  if ((await connection.query(table, [schema], queryMs)).length === 0) return 0
  const [row] = await connection.query(
    'select coalesce(max(number), 0) as newest from migration',
    [],
    queryMs,
  )
  return Number(row?.newest)
}

/** @throws RefusedError with what was found, what was expected and what to do */
function expectVersion(schema: string, version: number): void {
  const last = migrations().at(-1)?.number ?? 0
  if (version === last) return
  if (version === 0)
    throw new RefusedError(
      `The schema ${schema} of the database has no tables of a fleet, and this command makes none. Set ACCOUNTS to the database of the ` +
        'fleet, with ?schema= when it is in another schema; or start a node, which makes the tables.',
    )
  if (version > last) throw tooNew(schema, version, last)
  throw new RefusedError(
    `The schema ${schema} of the database is of version ${version}, and this version of postrie needs version ${last}. A command does ` +
      'not upgrade it, because nodes of the earlier version would not start any more. Use the version of postrie that the nodes run, ' +
      'or start a node of this version first.',
  )
}

function tooNew(schema: string, version: number, last: number): RefusedError {
  return new RefusedError(
    `The schema ${schema} of the database is of version ${version}, and this version of postrie knows it up to ${last}. ` +
      'Start the newer version of postrie, which other nodes of the fleet run already.',
  )
}

function forbidden(error: unknown, { url, schema }: ConnectionOptions): RefusedError {
  const role = decodeURIComponent(new URL(url).username)
  return new RefusedError(
    `The role ${role} of ACCOUNTS may not make the tables of a fleet: ${storeError(error).message}. As a superuser, run ` +
      `\`create schema "${schema}" authorization "${role}"\` in that database; or, for a schema that exists, ` +
      `\`alter schema "${schema}" owner to "${role}"\` when it is empty, and name its owner in ACCOUNTS when it is not.`,
    { cause: error },
  )
}

async function apply(connection: DatabaseConnection, schema: string): Promise<void> {
  const run = (text: string, values: unknown[] = []) => connection.query(text, values, MIGRATION_MS_MAX)
  await run('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`postrie ${schema}`])
  const [{ server_encoding: encoding }] = await run('show server_encoding')
  if (encoding !== 'UTF8') {
    throw new RefusedError(
      `The database of ACCOUNTS has the encoding ${encoding}, which cannot hold every name and label. ` +
        "Name one that was made by `create database postrie encoding 'UTF8' template template0`.",
    )
  }
  const found = await run('select from pg_namespace where nspname = $1', [schema])
  // A user without the right to create schemas may have been given one.
  if (found.length === 0) await run(`create schema "${schema}"`)
  await run(
    'create table if not exists migration (number int primary key, name text not null, applied timestamptz not null default now())',
  )
  const applied = (await run('select number from migration')).map(({ number }) => Number(number))
  const known = migrations()
  const newest = Math.max(0, ...applied)
  const last = known.at(-1)?.number ?? 0
  if (newest > last) throw tooNew(schema, newest, last)
  for (const { number, name, text } of known) {
    if (applied.includes(number)) continue
    await connection.script(text, MIGRATION_MS_MAX)
    await run('insert into migration (number, name) values ($1, $2)', [number, name])
  }
  // In a database that was restored from a dump, transactions are numbered from the beginning again.
  await run('update key_usage set changed_by = pg_current_xact_id() where changed_by > pg_current_xact_id()')
}
