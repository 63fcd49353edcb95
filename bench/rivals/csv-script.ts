/**
 * A naive script that checks a CSV file against a list of codes, with csv-parse, a Map and one thread. Fields of the output are not
 * quoted. Arguments: index file, input, output.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { openIndex } from '../../src/postal/library/node.ts'
import { allCodes } from '../input/samples.ts'
import { loadPackage } from '../packages.ts'
import { canonical } from './lookup.ts'

type CsvParse = { parse(options: object): NodeJS.ReadWriteStream & AsyncIterable<Record<string, string>> }

const CHUNK_CHARACTERS = 65_536
const [, , indexFile, input, output] = process.argv
const codes = new Map<string, string>()
for (const { country, text } of allCodes(openIndex(indexFile))) codes.set(country + canonical(text), text)
process.send?.('loaded')
const parser = createReadStream(input).pipe(loadPackage<CsvParse>('csv-parse').parse({ columns: true }))
async function* results() {
  let isFirst = true
  let lines = ''
  for await (const record of parser) {
    if (isFirst) lines += `${[...Object.keys(record), 'valid', 'normalized', 'reason'].join()}\n`
    isFirst = false
    const found = codes.get(record.country + canonical(record.zip))
    const verdict = found === undefined ? 'false,,not_found' : `true,${found},`
    lines += `${Object.values(record).join()},${verdict}\n`
    if (lines.length < CHUNK_CHARACTERS) continue
    yield lines
    lines = ''
  }
  yield lines
}
await pipeline(results, createWriteStream(output))
