/**
 * What somebody would write who has a CSV file to check and a list of codes: csv-parse, a Map, one thread.
 * Arguments: index file, input, output.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { viewCode } from '../../src/index/codes/code-view.ts'
import { openIndex } from '../../src/index/open-index.ts'
import { countriesOf } from '../../src/index/postal-index.ts'
import { load } from '../packages.ts'

type CsvParse = { parse(options: object): NodeJS.ReadWriteStream & AsyncIterable<Record<string, string>> }

const [, , indexFile, input, output] = process.argv
const index = openIndex(indexFile)
const codes = new Map<string, string>()
for (const country of countriesOf(index)) {
  for (let code = country.codeStart; code < country.codeStart + country.codeCount; code++) {
    const { key, written } = viewCode(index, country, code)
    codes.set(country.cc + key, written)
    // As people write it, where that is not its key: LV-1001.
    codes.set(country.cc + written.replace(/[\s.-]/g, ''), written)
  }
}
process.send?.('loaded')
const { parse } = load<CsvParse>('csv-parse')
const parser = createReadStream(input).pipe(parse({ columns: true }))
async function* results() {
  let isFirst = true
  let lines = ''
  for await (const record of parser as AsyncIterable<Record<string, string>>) {
    if (isFirst) lines += `${[...Object.keys(record), 'valid', 'normalized', 'reason'].join()}\n`
    isFirst = false
    const found = codes.get(record.country + record.zip.toUpperCase().replace(/[\s.-]/g, ''))
    const verdict = found === undefined ? 'false,,not_found' : `true,${found},`
    lines += `${Object.values(record).join()},${verdict}\n`
    if (lines.length < 65_536) continue
    yield lines
    lines = ''
  }
  yield lines
}
await pipeline(results, createWriteStream(output))
