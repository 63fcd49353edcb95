/** The rival that keeps everything in SQLite: prepared statements, rows found by primary key, the file mapped into memory. */
import { existsSync, renameSync } from 'node:fs'
import { countriesOf, type PostalIndex } from '../../src/index/postal-index.ts'
import { type CodeRecord, cityRecords, codeRecords } from '../input/records.ts'
import { load, type Sqlite, type SqliteDatabase, type SqliteStatement } from '../packages.ts'
import { type Store, sortedCodes } from './store.ts'

const COLUMNS = 'name1, code1, name2, code2, name3, code3, latitude, longitude, accuracy, timezone, elevation'
/** No row needs a second look-up: the rows lie in the tree of the primary key itself. */
const SCHEMA = `
  CREATE TABLE codes (country TEXT, key TEXT, written TEXT, city TEXT, ${COLUMNS}, PRIMARY KEY (country, key))
    WITHOUT ROWID;
  CREATE TABLE cities (country TEXT, key TEXT, name1 TEXT, code1 TEXT, codes TEXT);
  CREATE INDEX city_keys ON cities (country, key);
`

/** Opens the database next to the index file, and fills it when it is missing. */
export function openSqlite(index: PostalIndex): SqliteDatabase {
  const Database = load<Sqlite>('better-sqlite3')
  const path = `${index.path}.${index.file.buildId}.sqlite`
  if (!existsSync(path)) fill(Database, path, index)
  const database = new Database(path, { readonly: true })
  for (const setting of ['mmap_size = 4294967296', 'cache_size = -262144', 'locking_mode = EXCLUSIVE']) {
    database.pragma(setting)
  }
  return database
}

export class SqliteStore implements Store {
  readonly #lookup: SqliteStatement
  readonly #record: SqliteStatement
  readonly #written: SqliteStatement
  readonly #cities: SqliteStatement
  readonly #citiesOfState: SqliteStatement
  readonly #countries: Set<string>

  constructor(index: PostalIndex) {
    const database = openSqlite(index)
    const where = 'WHERE country = ? AND key = ?'
    this.#lookup = database.prepare(`SELECT city, name1, code1, latitude, longitude FROM codes ${where}`)
    this.#record = database.prepare(`SELECT * FROM codes ${where}`)
    this.#written = database.prepare(`SELECT written FROM codes ${where}`).pluck()
    this.#cities = database.prepare(`SELECT codes FROM cities ${where}`).pluck()
    this.#citiesOfState = database.prepare(`SELECT codes FROM cities ${where} AND code1 = ?`).pluck()
    this.#countries = new Set(countriesOf(index).map(({ cc }) => cc))
  }

  lookup(country: string, key: string): CodeRecord | undefined {
    return this.#lookup.get(country, key) as CodeRecord | undefined
  }

  record(country: string, key: string): CodeRecord | undefined {
    return this.#record.get(country, key) as CodeRecord | undefined
  }

  written(country: string, key: string): string | undefined {
    return this.#written.get(country, key) as string | undefined
  }

  hasCountry(country: string): boolean {
    return this.#countries.has(country)
  }

  codesOfCity(country: string, city: string, stateCode: string | undefined): string[] {
    const rows =
      stateCode === undefined
        ? this.#cities.all(country, city)
        : this.#citiesOfState.all(country, city, stateCode)
    return sortedCodes(rows.map(codes => (codes as string).split('|')))
  }
}

function fill(Database: Sqlite, path: string, index: PostalIndex): void {
  // Several processes may fill it at the same time.
  const unfinished = `${path}.${process.pid}.new`
  const database = new Database(unfinished)
  database.pragma('journal_mode = OFF')
  database.pragma('synchronous = OFF')
  database.exec(SCHEMA)
  database.exec('BEGIN')
  const addCode = database.prepare(`INSERT INTO codes VALUES (${Array(15).fill('?')})`)
  for (const record of codeRecords(index)) {
    const { country, key, written, city, ...rest } = record
    addCode.run(country, key, written, city, ...Object.values(rest))
  }
  const addCity = database.prepare('INSERT INTO cities VALUES (?, ?, ?, ?, ?)')
  for (const { country, key, name1, code1, codes } of cityRecords(index)) {
    addCity.run(country, key, name1, code1, codes.join('|'))
  }
  database.exec('COMMIT; ANALYZE')
  database.close()
  renameSync(unfinished, path)
}
