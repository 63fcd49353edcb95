/** Makes the schema of a fleet, whole and in one transaction, or checks that the one that is there is of this version. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MINUTE_MS } from '../platform/time.ts'
import type { ConnectionOptions, Database, Run } from './database.ts'
import { isForbidden, RefusedError } from './database-errors.ts'

const VERSION = 1

// Seen from dist/src/fleet: the compiler does not copy SQL.
const SQL = fileURLToPath(new URL('../../../src/fleet/sql/', import.meta.url))

/** Time in which a node that starts may wait for another one that makes the schema. */
const MAKE_MS_MAX = MINUTE_MS

/** `create`: makes the schema where there is none. `none`: changes nothing, as a command does that only looks at a fleet. */
export type SchemaRights = 'create' | 'none'

/** @throws RefusedError for anything but a fleet of this version, or an empty schema that may be filled; UnavailableError */
export async function prepareSchema(database: Database, rights: SchemaRights): Promise<void> {
  const { schema } = database.options
  const isThere = await database.transaction(run => isPresent(run, schema))
  if (isThere) return
  if (rights === 'none')
    throw new RefusedError(
      `The schema ${schema} of the database has no tables of a fleet, and this command makes none. Set ACCOUNTS to the ` +
        'database of the fleet, with ?schema= when it is in another schema; or start a node, which makes the tables.',
    )
  const make = async (run: Run): Promise<void> => {
    // Nodes that start at the same time wait for each other.
    await run('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`postrie ${schema}`])
    if (await isPresent(run, schema)) return
    await expectUtf8(run)
    const found = await run('select from pg_namespace where nspname = $1', [schema])
    // A user without the right to create schemas may have been given one.
    if (found.length === 0) await run(`create schema "${schema}"`)
    for (const name of readdirSync(SQL).toSorted()) await run(readFileSync(join(SQL, name), 'utf8'))
  }
  await database.transaction(make, MAKE_MS_MAX).catch(error => {
    throw isForbidden(error.cause) ? forbidden(error, database.options) : error
  })
}

async function isPresent(run: Run, schema: string): Promise<boolean> {
  const tables = (await run('select tablename from pg_tables where schemaname = $1', [schema])).map(row =>
    String(row.tablename),
  )
  if (tables.length === 0) return false
  const version = tables.includes('schema_version')
    ? (await run('select version from schema_version')).map(row => row.version).join(', ')
    : 'none'
  if (version === String(VERSION)) return true
  const found =
    version === 'none' ? `${tables.length} tables and no version of a fleet` : `version ${version} of a fleet`
  throw new RefusedError(
    `The schema ${schema} of the database has ${found}, and this version of postrie needs version ${VERSION}. Start the version of ` +
      'postrie that has made it, or name another schema in ACCOUNTS, as `?schema=postrie_2`.',
  )
}

async function expectUtf8(run: Run): Promise<void> {
  const [{ server_encoding: encoding }] = await run('show server_encoding')
  if (encoding === 'UTF8') return
  throw new RefusedError(
    `The database of ACCOUNTS has the encoding ${encoding}, which cannot hold every name and label. ` +
      "Name one that was made by `create database postrie encoding 'UTF8' template template0`.",
  )
}

function forbidden(error: Error, { url, schema }: ConnectionOptions): RefusedError {
  const role = decodeURIComponent(new URL(url).username)
  return new RefusedError(
    `The role ${role} of ACCOUNTS may not make the tables of a fleet: ${error.message}. As a superuser, run ` +
      `\`create schema "${schema}" authorization "${role}"\` in that database; or, for a schema that exists, ` +
      `\`alter schema "${schema}" owner to "${role}"\` when it is empty, and name its owner in ACCOUNTS when it is not.`,
    { cause: error },
  )
}
