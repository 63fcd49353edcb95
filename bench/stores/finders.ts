/** The contenders of the question `index`, each in the form that suits it. */
import { DEGREE_SCALE, latitude } from '../../src/format/code-record.ts'
import { CodeQuery } from '../../src/index/codes/resolve.ts'
import { countrySlot } from '../../src/index/country-table.ts'
import type { PostalIndex } from '../../src/index/postal-index.ts'
import { type CodeRecord, codeRecords } from '../input/records.ts'
import { type Finder, NO_LATITUDE, type Queries } from './finder.ts'
import { lmdbFinder } from './lmdb-finder.ts'
import { mapOf } from './map-store.ts'
import { sortedFinder } from './sorted-finder.ts'
import { openSqlite } from './sqlite-store.ts'

export const FINDERS: Readonly<Record<string, (index: PostalIndex) => Finder | Promise<Finder>>> = {
  'postrie, from bytes': trieFinder,
  'Map, string at hand': index => mapFinder(mapOf(index)),
  'Map, from bytes': index => mapFromBytesFinder(mapOf(index)),
  'sorted array, string at hand': index => sortedFinder(codeRecords(index)),
  'lmdb, string at hand': lmdbFinder,
  'SQLite, strings at hand': sqliteFinder,
}

function trieFinder({ trie, codes, countries }: PostalIndex): Finder {
  const query = new CodeQuery()
  return {
    find({ bytes, starts, count }) {
      let found = 0
      for (let i = 0; i < count; i++) {
        const start = starts[i]
        const country = countries.at(countrySlot(bytes[start], bytes[start + 1]))
        if (!country || !query.set(bytes, start + 2, starts[i + 1])) continue
        const code = query.resolve(trie, country)
        if (code >= 0 && latitude(codes, code) !== NO_LATITUDE * DEGREE_SCALE) found++
      }
      return found
    },
  }
}

function mapFinder(map: Map<string, CodeRecord>): Finder {
  return {
    find({ keys }) {
      let found = 0
      for (const key of keys) if (isSeen(map.get(key))) found++
      return found
    },
  }
}

/** What a server has to do that keeps a `Map`: its requests come as bytes, and not in canonical form. */
function mapFromBytesFinder(map: Map<string, CodeRecord>): Finder {
  const separators = /[\s.-]/g
  return {
    find({ bytes, starts, count }: Queries) {
      let found = 0
      for (let i = 0; i < count; i++) {
        const text = bytes.toString('latin1', starts[i], starts[i + 1])
        if (isSeen(map.get(text.toUpperCase().replace(separators, '')))) found++
      }
      return found
    },
  }
}

function sqliteFinder(index: PostalIndex): Finder {
  const latitude = openSqlite(index)
    .prepare('SELECT latitude FROM codes WHERE country = ? AND key = ?')
    .pluck()
  return {
    find({ keys, countries, count }) {
      let found = 0
      for (let i = 0; i < count; i++) if (latitude.get(countries[i], keys[i].slice(2)) !== undefined) found++
      return found
    },
  }
}

/** Reads the record, as every use of it would. */
function isSeen(record: CodeRecord | undefined): boolean {
  return record !== undefined && record.latitude !== NO_LATITUDE
}
