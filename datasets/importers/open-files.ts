/** Makes a source of the files that an option names. */
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Source } from '../source.ts'
import { Gathered } from './gather.ts'
import type { Importer, ImportFile, OnProgress, Register } from './importer.ts'
import { gatherFile } from './kept-addresses.ts'
import { readTable } from './table-file.ts'

/** A build refuses the source long before. */
const BAD_LINES_MAX = 1000

/**
 * Reads `files` as one source. Addresses of one code and place become one row at their middle. Memory grows with
 * codes, about 300 bytes each.
 * @throws Error when a file is not what the importer expects, or has no row
 */
export async function openFiles(
  importer: Importer,
  files: readonly ImportFile[],
  dataDir: string,
  onProgress: OnProgress,
): Promise<Source> {
  const { kind, title, licence, attribution, url, completeness } = importer
  const gathered = new Gathered('read' in importer)
  const tally: Tally = { lines: 0, bad: [] }
  let bytes = 0
  for (const file of files) {
    bytes += (await stat(file.path)).size
    if ('read' in importer) await gatherFile(importer, file, gathered, dataDir, onProgress)
    else await readRegister(importer, file, gathered, tally, onProgress)
  }
  const { countries, leftOut } = gathered
  const { bad, lines } = 'read' in importer ? { bad: [], lines: gathered.addresses + leftOut } : tally
  const names = files.length === 1 ? basename(files[0].path) : `${files.length} files`
  if (countries.length === 0)
    throw new Error(
      `${files.length === 1 ? files[0].path : names}: none of ${lines} lines is a postal code of ${title}; ` +
        `first: ${bad[0] ?? 'none'}`,
    )
  const note = `${kind}: ${leftOut} of ${lines} addresses were left out: no post of their country writes such a code`
  return {
    id: kind,
    title,
    licence,
    attribution,
    url,
    date: '',
    lines,
    origin: `${names}, ${bytes} bytes`,
    countries: Object.fromEntries(countries.map(country => [country, completeness])),
    lacksCodes: completeness === 'partial',
    notes: leftOut === 0 ? [] : [note],
    badLines: bad,
    rows: country => gathered.rows(country),
  }
}

interface Tally {
  lines: number
  bad: string[]
}

async function readRegister(
  importer: Register,
  { path, country }: ImportFile,
  gathered: Gathered,
  tally: Tally,
  onProgress: OnProgress,
): Promise<void> {
  const read = 'entry' in importer ? importer.entry : await importer.open(path)
  const onBytes = (done: number, total: number) => onProgress(`reading ${basename(path)}`, done, total)
  for await (const line of readTable(path, importer.format, onBytes)) {
    tally.lines++
    const found = typeof line === 'string' ? line : read(line)
    if (found === null) continue
    if (typeof found === 'string') {
      if (tally.bad.length < BAD_LINES_MAX) tally.bad.push(`${basename(path)}: ${found}`)
    } else for (const entry of [found].flat()) gathered.add(importer.country || country, entry)
  }
}
