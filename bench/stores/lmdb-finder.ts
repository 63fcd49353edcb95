/** lmdb: a mapped tree of pages. Records are msgpack with shared structures, so that field names are stored once. */
import { existsSync } from 'node:fs'
import type { PostalIndex } from '../../src/index/postal-index.ts'
import { type CodeRecord, codeRecords } from '../input/records.ts'
import { type Lmdb, type LmdbDatabase, load } from '../packages.ts'
import { type Finder, NO_LATITUDE } from './finder.ts'

export async function lmdbFinder(index: PostalIndex): Promise<Finder> {
  const path = `${index.path}.${index.file.buildId}.lmdb`
  const isFilled = existsSync(path)
  const database = load<Lmdb>('lmdb').open<CodeRecord>({
    path,
    sharedStructuresKey: Symbol.for('structures'),
    // The file can be rebuilt, so nothing needs to be synced.
    noSync: true,
    noReadAhead: true,
  })
  if (!isFilled) await fill(database, index)
  return {
    find({ keys }) {
      let found = 0
      for (const key of keys) {
        const record = database.get(key)
        if (record !== undefined && record.latitude !== NO_LATITUDE) found++
      }
      return found
    },
  }
}

async function fill(database: LmdbDatabase<CodeRecord>, index: PostalIndex): Promise<void> {
  let added = 0
  for (const record of codeRecords(index)) {
    const put = database.put(record.country + record.key, record)
    // Without a pause millions of writes would wait in memory.
    if (++added % 10_000 === 0) await put
  }
  await database.flushed
}
