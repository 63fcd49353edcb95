/** Codes of an index as plain objects, and the rivals' stores: a `Map` and SQLite. */
import { existsSync, renameSync } from 'node:fs'
import type { PostalCodes } from '../../src/postal/library/node.ts'
import { loadPackage } from '../packages.ts'
import { type CodeRecord, canonical, type Store } from './lookup.ts'

function* codeRecords(codes: PostalCodes): Generator<CodeRecord> {
  // One string per distinct text, like in a careful rival.
  const texts = new Map<string, string>()
  const shared = (text: string) => {
    const known = texts.get(text)
    if (known !== undefined) return known
    texts.set(text, text)
    return text
  }
  // The list of `allCodes` would share its strings with the Map, so that they would not count as the Map's.
  for (const [country, text] of eachCode(codes)) {
    const { city = '', state = '', ST = '', latitude, longitude } = codes.lookup(text, country) ?? {}
    const key = canonical(text)
    yield {
      country,
      key,
      written: text === key ? key : text,
      city: shared(city),
      state: shared(state),
      ST: shared(ST),
      latitude: latitude ?? null,
      longitude: longitude ?? null,
    }
  }
}

function* eachCode(codes: PostalCodes): Generator<[country: string, text: string]> {
  for (const { country } of codes.countries()) for (const text of codes.codes(country)) yield [country, text]
}

export function mapStore(codes: PostalCodes): Store {
  const map = new Map<string, CodeRecord>()
  for (const record of codeRecords(codes)) map.set(record.country + record.key, record)
  return { find: (country, key) => map.get(country + key) }
}

interface Statement {
  get(...values: unknown[]): unknown
  run(...values: unknown[]): unknown
}
interface Database {
  prepare(sql: string): Statement
  exec(sql: string): void
  pragma(text: string): unknown
  close(): void
}
type Sqlite = new (path: string, options?: { readonly: boolean }) => Database

const COLUMNS = ['country', 'key', 'written', 'city', 'state', 'ST', 'latitude', 'longitude'] as const
/** Rows are in the tree of the primary key, so that none needs a second look-up. */
const SCHEMA = `CREATE TABLE codes (${COLUMNS.join()}, PRIMARY KEY (country, key)) WITHOUT ROWID`

/** Opens a database beside the index file, with a prepared statement and a mapped file. Creates it if it is missing. */
export function sqliteStore(codes: PostalCodes, indexFile: string): Store {
  const Sqlite = loadPackage<Sqlite>('better-sqlite3')
  const path = `${indexFile}.${codes.about().buildId}.sqlite`
  if (!existsSync(path)) fill(new Sqlite(`${path}.${process.pid}.new`), codes, path)
  const database = new Sqlite(path, { readonly: true })
  for (const setting of ['mmap_size = 4294967296', 'cache_size = -262144', 'locking_mode = EXCLUSIVE'])
    database.pragma(setting)
  const statement = database.prepare('SELECT * FROM codes WHERE country = ? AND key = ?')
  return { find: (country, key) => statement.get(country, key) as CodeRecord | undefined }
}

function fill(database: Database, codes: PostalCodes, path: string): void {
  database.pragma('journal_mode = OFF')
  database.pragma('synchronous = OFF')
  database.exec(`${SCHEMA}; BEGIN`)
  const insert = database.prepare(`INSERT INTO codes VALUES (${COLUMNS.map(() => '?').join()})`)
  for (const record of codeRecords(codes)) insert.run(...COLUMNS.map(column => record[column]))
  database.exec('COMMIT; ANALYZE')
  database.close()
  // Several processes may fill it at once.
  renameSync(`${path}.${process.pid}.new`, path)
}
