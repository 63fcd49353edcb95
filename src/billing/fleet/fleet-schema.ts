/** Makes the schema of a fleet in one transaction, or checks the version of the existing one. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MINUTE_MS } from '../../platform/time.ts'
import type { ConnectionOptions, Connections, Run } from './connections.ts'
import { isForbidden, RejectedError } from './database-errors.ts'

const VERSION = 1

// Relative to dist/src/billing/fleet: the compiler does not copy SQL.
const SQL = fileURLToPath(new URL('../../../../src/billing/fleet/sql/', import.meta.url))

/** Time that a starting node may wait for another node that makes the schema. */
const MAKE_MS_MAX = MINUTE_MS

/** @throws RejectedError for another version, or a schema that may not be filled; UnavailableError */
export async function prepareSchema(connections: Connections, mayCreate = true): Promise<void> {
  const { schema } = connections.options
  if (await connections.transaction(run => hasFleet(run, schema))) return
  if (!mayCreate)
    throw new RejectedError(
      `The schema ${schema} has no tables of a fleet, and this command does not create them. Start a node, which creates them. ` +
        'If the fleet is elsewhere, correct ACCOUNTS or its `?schema=`.',
    )
  const make = async (run: Run): Promise<void> => {
    // Concurrent starts wait for each other.
    await run('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`postrie ${schema}`])
    if (await hasFleet(run, schema)) return
    const [{ server_encoding: encoding }] = await run('show server_encoding')
    if (encoding !== 'UTF8')
      throw new RejectedError(
        `The database of ACCOUNTS has the encoding ${encoding}, which cannot hold every name and label. ` +
          "Name one that was made by `create database postrie encoding 'UTF8' template template0`.",
      )
    const found = await run('select from pg_namespace where nspname = $1', [schema])
    // A user without the right to create schemas may use an empty one.
    if (found.length === 0) await run(`create schema "${schema}"`)
    for (const name of readdirSync(SQL).toSorted()) await run(readFileSync(join(SQL, name), 'utf8'))
  }
  await connections.transaction(make, MAKE_MS_MAX).catch(error => {
    throw isForbidden(error.cause) ? forbidden(error, connections.options) : error
  })
}

/** Returns false for a schema without tables. @throws RejectedError for tables of something else */
async function hasFleet(run: Run, schema: string): Promise<boolean> {
  const tables = await run('select tablename from pg_tables where schemaname = $1', [schema])
  if (tables.length === 0) return false
  const isFleet = tables.some(({ tablename }) => tablename === 'schema_version')
  const [row] = isFleet ? await run('select version from schema_version') : []
  if (row?.version === VERSION) return true
  const found = isFleet
    ? `version ${row?.version} of a fleet`
    : `${tables.length} tables and no version of a fleet`
  throw new RejectedError(
    `The schema ${schema} has ${found}, but this postrie needs version ${VERSION}. Run the matching postrie, or choose another ` +
      'schema in ACCOUNTS, such as `?schema=postrie_2`.',
  )
}

function forbidden(error: Error, { url, schema }: ConnectionOptions): RejectedError {
  const role = decodeURIComponent(new URL(url).username)
  return new RejectedError(
    `The role ${role} may not create the tables of a fleet: ${error.message}. If the schema is missing, run ` +
      `\`create schema "${schema}" authorization "${role}"\` as a superuser. If it is empty, run ` +
      `\`alter schema "${schema}" owner to "${role}"\`. If it has tables, let ACCOUNTS use their owner's name.`,
    { cause: error },
  )
}
