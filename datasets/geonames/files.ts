import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { zipMembers } from './zip-members.ts'

/** Names of text files: the world, one country, one country with full codes. */
const NAME = /^(allCountries|([A-Z]{2})|([A-Z]{2})_full)\.txt$/
const PACKED_NAME = /^(allCountries|[A-Z]{2}|[A-Z]{2}_full(\.csv)?)\.zip$/

/** The file with the highest rank gives a country's rows. */
type Rank = 0 | 1 | 2

export interface GeonamesFile {
  path: string
  name: string
  rank: Rank
  /** The only country in the file; `''` in the file of the world. */
  country: string
  /** Day of a zip member. Null for a text file, because copying may have changed its day. */
  modified: Date | null
  content: AsyncIterable<Buffer>
}

/**
 * Yields GeoNames' files at `location`: a text file, a zip file, or a folder of these, in no particular order.
 * @throws when there is none, or one cannot be read
 */
export async function* geonamesFiles(location: string): AsyncIterable<GeonamesFile> {
  let found = 0
  for (const path of await paths(location)) {
    if (path.endsWith('.zip')) {
      let members = 0
      for await (const { name, modified, content } of zipMembers(path, name => NAME.test(basename(name)))) {
        members++
        yield describe(path, basename(name), modified, content)
      }
      if (members === 0)
        throw new Error(`${path}: no postal codes inside; expected allCountries.txt, XX.txt or XX_full.txt`)
    } else yield describe(path, basename(path), null, createReadStream(path, { highWaterMark: 1 << 18 }))
    found++
  }
  if (found === 0)
    throw new Error(
      `${location}: no GeoNames file; expected allCountries.zip, XX.zip, XX_full.csv.zip or the same as .txt`,
    )
}

async function paths(location: string): Promise<string[]> {
  if (!(await stat(location)).isDirectory()) return [location]
  const names = (await readdir(location)).sort()
  return names.filter(name => NAME.test(name) || PACKED_NAME.test(name)).map(name => join(location, name))
}

function describe(
  path: string,
  name: string,
  modified: Date | null,
  content: AsyncIterable<Buffer>,
): GeonamesFile {
  const [, , country, fullCountry] = NAME.exec(name) ?? []
  const rank = fullCountry !== undefined ? 2 : country !== undefined ? 1 : 0
  return { path, name, rank, country: fullCountry ?? country ?? '', modified, content }
}
