/** A worker that flips bits under valid checksums. Its regular reports show its parent that no question is endless. */

import { parentPort, workerData } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import { HEAD_BYTES, HEADER, SECTION_ENTRY, SECTION_NAMES } from '../../../src/postal/format/layout.ts'
import { formOfCode } from '../../../src/postal/index/codes/written.ts'
import { DamagedIndexError, IndexFileError } from '../../../src/postal/index/index-file-error.ts'
import {
  countriesOf,
  creditsOf,
  type PostalIndex,
  readIndex,
  sourcesOf,
} from '../../../src/postal/index/postal-index.ts'
import { EVERY_FIELD, recordOf } from '../../../src/postal/index/record-fields.ts'
import { answerCold } from '../../../src/service/api/body-handler.ts'
import { Clients } from '../../../src/service/api/clients.ts'
import { HOT_ANSWERS } from '../../../src/service/api/hot-answers.ts'
import { answerHot } from '../../../src/service/api/hot-requests.ts'
import { ApiRequest, ThreadContext } from '../../../src/service/api/request.ts'
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts'
import { ENDPOINTS } from '../../../src/service/endpoints/table.ts'
import { AnswerMaker } from '../../../src/service/workers/answer-maker.ts'
import { openAccounts } from '../../support/accounts.ts'
import { seededRandom } from '../../support/random.ts'
import { sectionEntryOffset } from '../../support/sealed-file.ts'

export interface FlipTask {
  file: Uint8Array
  flips: number
  seed: number
  /** An empty folder for the ledger. */
  folder: string
}

export interface FlipReport {
  done: number
  /** Flips after which opening the file failed. */
  refused: number
  /** Flips after which at least one question ended with an error. */
  failed: number
  /** Outcomes that no damage may have. */
  faults: string[]
}

/** Byte before and after the file. A flip makes at most one, so an answer with more has read beyond the file. */
const GUARD = 0xf5
const BEYOND = Buffer.alloc(3, GUARD)
const GUARD_BYTES = 64 * 1024
const CODES = [
  ['US', '90210'],
  ['US', '90210-1234'],
  ['US', '00000'],
  ['GB', 'SW1A 1AA'],
  ['LV', 'LV-1001'],
  ['MX', '37000'],
  ['PT', '1000-001'],
  ['PT', '1000'],
  ['AD', '10000'],
  ['AD', '10240'],
  ['AD', 'AD10240'],
  ['AD', 'AB11Z3'],
  ['AD', 'XY'],
  ['AD', 'XYZ'],
  ['AD', '10240123'],
]
const CITIES = [
  { country: 'US', city: 'Springfield', ST: 'IL' },
  { country: 'US', city: 'Saint Luis', state: 'Missouri' },
  { country: 'DE', city: 'Munich' },
  { country: 'DE', city: 'Munchenn' },
  { country: 'AD', city: 'Centro' },
  { country: 'AD', city: 'Centro', state: 'north' },
  { country: 'AD', city: 'Antigua', state: 'Este B' },
  { country: 'AD', city: 'Vilanueva de la Sarena' },
  { country: 'AD', city: 'San Josee', ST: 'R1' },
  { country: 'FR', city: 'Pariz' },
]

const POINTS = [
  { latitude: 42.5, longitude: 1.5, limit: 100 },
  { latitude: 34, longitude: -118, radius: 500, country: 'US' },
  { zipcode: 'AD10240', country: 'AD' },
]
const TYPED = [
  { query: 's', country: 'US', limit: 50 },
  { query: 'san', country: 'AD' },
  { query: '1', country: 'AD', limit: 50 },
  { query: 'München', country: 'DE' },
]

const { file, flips, seed, folder } = workerData as FlipTask
const random = seededRandom(seed)
const memory = new SharedArrayBuffer(GUARD_BYTES + file.length + GUARD_BYTES)
new Uint8Array(memory).fill(GUARD)
const bytes = Buffer.from(memory, GUARD_BYTES, file.length)
bytes.set(file)

const accounts = await openAccounts({ dir: folder })
const { id } = await accounts.createAccount({ email: 'flips@example.com' })
await accounts.credit({ account: id, micros: 1_000_000_000_000, kind: 'test', reference: 'flips' })
const { secret: apiKey } = await accounts.createKey(id)
const bodyOf = (fields: object) => Buffer.from(JSON.stringify({ apiKey, ...fields }))
const { lookup, metacode, validate, city, nearest, autocomplete, countries, format } = ENDPOINTS
const question = (endpoint: unknown, body: Buffer) => [endpoint as Endpoint, body] as const
const questions = [
  ...[lookup, metacode, validate].flatMap(endpoint =>
    CODES.map(([country, zipcode]) => question(endpoint, bodyOf({ country, zipcode }))),
  ),
  ...CITIES.map(fields => question(city, bodyOf(fields))),
  ...POINTS.map(fields => question(nearest, bodyOf(fields))),
  ...TYPED.map(fields => question(autocomplete, bodyOf(fields))),
  question(countries, bodyOf({})),
  question(format, bodyOf({ country: 'GB' })),
]
const batch = bodyOf({ records: CODES.map(([countryCode, postalCode]) => ({ countryCode, postalCode })) })
const context = new ThreadContext(open(), accounts.charging)
const request = new ApiRequest(context, new Clients())
const report: FlipReport = { done: 0, refused: 0, failed: 0, faults: [] }

while (report.done < flips) {
  const undo = flip()
  try {
    context.replaceIndex(open())
    if (!askAll()) report.failed++
  } catch (error) {
    if (error instanceof IndexFileError) report.refused++
    else report.faults.push(`flip ${report.done}: opening ended with ${error}`)
  }
  undo()
  report.done++
  if (report.done % 100 === 0 || report.done === flips) parentPort?.postMessage(report)
}
await accounts.close()

function open(): PostalIndex {
  return readIndex({ bytes, handle: memory, release: async () => {} }, 'flipped.postrie')
}

/** Asks every question. Returns false if a question ended with an error that names the damage. */
function askAll(): boolean {
  let isSound = true
  const ask = (name: string, question: () => void) => {
    try {
      question()
    } catch (error) {
      isSound = false
      if (!(error instanceof DamagedIndexError || error instanceof IndexFileError))
        report.faults.push(`flip ${report.done}: ${name} ended with ${(error as Error).stack}`)
    }
  }
  for (const [endpoint, body] of questions) ask(`${body}`, () => checkAnswer(endpoint, body))
  if (report.done % 16 === 0)
    ask('a batch', () => void new AnswerMaker(context.index).make('validate-bulk', batch))
  if (report.done % 16 === 8)
    ask('a batch of records', () => void new AnswerMaker(context.index).make('lookup-bulk', batch))
  ask('all codes', viewAll)
  return isSound
}

function checkAnswer(endpoint: Endpoint, body: Buffer): void {
  const makeAnswer = HOT_ANSWERS[endpoint.name]
  request.begin(performance.now())
  if (makeAnswer === undefined || !answerHot(request, endpoint, makeAnswer, body))
    answerCold(request, endpoint, body)
  const { output } = request
  const text = Buffer.from(request.body)
  if (output.length > output.bytes.length || !Number.isInteger(output.length))
    report.faults.push(`flip ${report.done}: an answer of ${output.length} bytes to ${body}`)
  if (text.includes(BEYOND)) report.faults.push(`flip ${report.done}: memory beyond the file in ${body}`)
}

function viewAll(): void {
  const { index } = context
  for (const country of countriesOf(index)) {
    const { codeStart, codeCount } = country
    for (let code = codeStart; code < codeStart + codeCount; code += 1 + (codeCount >> 3))
      recordOf(index, country, code, formOfCode(index, country, code), EVERY_FIELD)
  }
  sourcesOf(index)
  creditsOf(index)
}

/** Flips a bit of a section and repairs both checksums. Returns a function that undoes both. */
function flip(): () => void {
  let entry = 0
  let length = 0
  while (length === 0) {
    entry = sectionEntryOffset(SECTION_NAMES[random(SECTION_NAMES.length)])
    length = Number(bytes.readBigUInt64LE(entry + SECTION_ENTRY.length))
  }
  const offset = Number(bytes.readBigUInt64LE(entry + SECTION_ENTRY.offset))
  const at = offset + random(length)
  const bit = 1 << random(8)
  const change = () => {
    bytes[at] ^= bit
    bytes.writeUInt32LE(crc32(bytes.subarray(offset, offset + length)), entry + SECTION_ENTRY.crc)
    bytes.writeUInt32LE(0, HEADER.crc)
    bytes.writeUInt32LE(crc32(bytes.subarray(0, HEAD_BYTES)), HEADER.crc)
  }
  change()
  return change
}
