/**
 * What one request can make the server's thread do. Every body here is as bad as its bound allows; the test asserts that each
 * is answered as it should be, and prints the time of the slowest, which depends on the machine and is not asserted.
 * POSTRIE_TURNS_INDEX names another index than the default one.
 */
import t from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import { about, balance } from '../../src/api/endpoints/about.ts'
import { answerBulk, refuseBatch } from '../../src/api/endpoints/bulk.ts'
import { city } from '../../src/api/endpoints/city.ts'
import { lookup } from '../../src/api/endpoints/lookup.ts'
import { metacode } from '../../src/api/endpoints/metacode.ts'
import { validate } from '../../src/api/endpoints/validate.ts'
import { BatchSurveyor } from '../../src/api/request/batch-survey.ts'
import { answer } from '../../src/api/response/answer.ts'
import { ApiRequest } from '../../src/api/service.ts'
import { BatchValidator } from '../../src/bulk/validate-batch.ts'
import { openIndex } from '../../src/index/open-index.ts'
import {
  BODY_BYTES_MAX,
  BULK_BODY_BYTES_MAX,
  BULK_THRESHOLD_BYTES,
  SURVEY_PIECE_BYTES,
} from '../../src/limits.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'

const ROUNDS = 15

const index = openIndex(process.env.POSTRIE_TURNS_INDEX ?? DEFAULT_INDEX)
const meter = await Accounts.open({ dir: t.testdir() })
t.teardown(() => meter.close())
const { id } = await meter.createAccount({ email: 'test@example.com' })
const { key } = await meter.createKey(id)
await meter.credit({ account: id, micros: 5_000_000, kind: 'operator', reference: 'test' })
const request = new ApiRequest({ index, meter })
const validator = new BatchValidator(index)
const apiKey = `"apiKey":"${key}"`

/** As many of `piece` as `bytes` have room for. */
const fill = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))
const text = (piece: string, bytes = BODY_BYTES_MAX - 200) => `"${fill(piece, bytes)}"`

/** Values that are as expensive to read as `bytes` bytes can be. */
function values(bytes: number): Record<string, string> {
  return {
    'nested arrays': `${fill('[', bytes / 2)}${fill(']', bytes / 2)}`,
    'nested objects': `${fill('{"":', (bytes * 4) / 5)}1${fill('}', bytes / 5)}`,
    'arrays that never end': fill('[', bytes),
    'empty objects': `[${fill('{},', bytes)}{}]`,
    members: `{${Array.from({ length: bytes / 12 }, (_, i) => `"a${i}":0`).join()}}`,
    'one member many times': `{${fill('"a":0,', bytes)}"a":0}`,
    'a long number': fill('1', bytes),
    'a number beyond any': '1e400',
    'a long fraction': `0.${fill('1', bytes)}`,
    'plain text': text('a', bytes),
    escapes: text('\\u0061', bytes),
    quotes: text('\\"', bytes),
    'lone surrogates': text('\\ud800', bytes),
    spaces: text(' ', bytes),
    'wide spaces': text('\u3000', bytes),
    'full-width digits': text('１', bytes),
    'combining marks': text('\u0301', bytes),
    'marks in the wrong order': text('\u0301\u0323', bytes),
    'a ligature of eighteen letters': text('\ufdfa', bytes),
    Hangul: text('각', bytes),
    emoji: text('😀', bytes),
  }
}

const single = values(BODY_BYTES_MAX - 200)
/** The slowest texts that are short enough to be searched for. */
const names = {
  'a name that is nobody’s': 'Qwertyuiopasdfghjkl',
  'a common name': 'San Jose',
  'a name of many places': 'Centro',
  'a close name': 'Sann Josee',
  'short forms': 'st '.repeat(42),
  ligatures: '\ufdfa'.repeat(128),
  marks: '\u0301\u0323'.repeat(64),
  Hangul: '각'.repeat(128),
  'one letter': 'a'.repeat(19),
}

/** The countries with the most places, in which a close name takes longest to find. */
const largest = [...index.countries.all()].sort((a, b) => b.meta.placeCount - a.meta.placeCount).slice(0, 12)

/** Milliseconds of processor time: the median of some rounds, so that what else the machine does is left out. */
function measured(work: () => void): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return times.sort((a, b) => a - b)[ROUNDS >> 1]
}

const worst = new Map<string, number>()

/** Answers `body` and notes the time. @returns its status and the response */
function turn(group: string, name: string, body: string, work: (body: Uint8Array) => void): [number, string] {
  // As uWebSockets.js hands it over; a Buffer would be slower.
  const bytes = new Uint8Array(Buffer.from(body))
  const ms = measured(() => work(bytes))
  worst.set(`${group}: ${name}`, ms)
  const { large, output } = request
  const response = Buffer.from(large.length > 0 ? large : output.view()).toString()
  return [request.status, response]
}

/** Surveys a batch in pieces, and notes the time of all of it, and of a piece on average. @returns the answer */
function strangerTurn(name: string, body: string): [number, string] {
  const pieces = Math.ceil(Buffer.byteLength(body) / SURVEY_PIECE_BYTES)
  const answered = turn(`a stranger’s batch, all ${pieces} turns`, name, body, bytes => {
    const surveyor = new BatchSurveyor(bytes)
    let turns = 1
    while (!surveyor.advance(SURVEY_PIECE_BYTES)) turns++
    if (turns > pieces + 1) throw new Error(`${name} took ${turns} turns`)
    refuseBatch(request, bytes, 0, surveyor.survey, false, 'validate')
  })
  const ms = worst.get(`a stranger’s batch, all ${pieces} turns: ${name}`) ?? 0
  worst.set(`a stranger’s batch, one turn of ${pieces}: ${name}`, ms / pieces)
  return answered
}

t.test('every single-record body of the largest size is answered', async t => {
  const endpoints = { lookup, metacode, validate, city }
  for (const [name, value] of Object.entries(single)) {
    const field = ['zipcode', 'city', 'country', 'state', 'ST', 'apiKey', 'unknown']
    for (const [path, endpoint] of Object.entries(endpoints)) {
      for (const of of field) {
        const usual = of === 'city' || of === 'zipcode' ? '' : ',"zipcode":"90210","city":"Aptos"'
        const body = `{${apiKey}${usual},"${of}":${value}}`
        if (Buffer.byteLength(body) > BODY_BYTES_MAX) throw new Error(`${name} makes too large a body`)
        const [status, response] = turn(path, `${name} as ${of}`, body, bytes =>
          answer(request, endpoint, bytes),
        )
        if (status >= 500) t.fail(`${path} ${name} as ${of}: ${status}`)
        JSON.parse(response)
      }
    }
    for (const [path, work] of Object.entries({ about, balance })) {
      const [status] = turn(path, name, `{${apiKey},"x":${value}}`, bytes => work(request, bytes))
      if (status >= 500) t.fail(`${path} ${name}: ${status}`)
    }
  }
  t.pass('none with a 5xx')
})

t.test('every city that is searched for', async t => {
  for (const [name, city_] of Object.entries(names)) {
    for (const { cc } of largest) {
      for (const state of [undefined, 'Sao Paulo', 'CA', '\ufdfa'.repeat(128)]) {
        const body = JSON.stringify({
          apiKey: key,
          city: city_,
          country: cc,
          state,
          ST: cc === 'US' ? 'CA' : undefined,
        })
        const [status] = turn('city', `${name} in ${cc} with the state ${state?.slice(0, 9)}`, body, bytes =>
          answer(request, city, bytes),
        )
        if (status !== 200 && status !== 404) t.fail(`${name} ${cc}: ${status}`)
      }
    }
  }
  t.pass('with 200 or 404')
})

t.test('every batch that is answered at once, and what comes before a large one', async t => {
  const small = values(BULK_THRESHOLD_BYTES - 200)
  for (const [name, value] of Object.entries(small)) {
    for (const body of [
      `{${apiKey},"records":[${value}]}`,
      `{${apiKey},"records":[{"postalCode":${value},"countryCode":"FR"}]}`,
    ]) {
      const [status] = turn('small batch', name, body, bytes =>
        answerBulk(request, validator.validate(bytes), 0),
      )
      if (status >= 500) t.fail(`${name}: ${status}`)
    }
  }
  const short = `{${apiKey},"records":[${fill('{"postalCode":"1","countryCode":"US"},', 15_000)}{"postalCode":"1","countryCode":"GB"}]}`
  turn('small batch', 'many records', short, bytes => answerBulk(request, validator.validate(bytes), 0))
  const large = values(BULK_BODY_BYTES_MAX - 200)
  for (const [name, value] of Object.entries(large)) {
    for (const key of ['"apiKey":"x",', '']) {
      const body = `{${key}"x":${value}}`
      const [status] = strangerTurn(name, body)
      t.equal(status, key === '' ? 400 : 401, `${name} ${key}`)
    }
  }
  const unknown = `"apiKey":"pk_live_${'0'.repeat(36)}",`
  strangerTurn('many keys', `{${fill(unknown, BULK_BODY_BYTES_MAX - 200)}"x":1}`)
  const escaped = `"\\u0061piKe":1,`
  strangerTurn('names that are nearly', `{${fill(escaped, BULK_BODY_BYTES_MAX - 200)}"x":1}`)
  const long = `{"postalCode":"${fill('\u0001', 1)}${'x'.repeat(980)}","countryCode":"US"},`
  const batch = `{${apiKey},"records":[${fill(long, BULK_BODY_BYTES_MAX - 300)}{"postalCode":"1","countryCode":"US"}]}`
  const result = validator.validate(Buffer.from(batch))
  turn('the largest batch', 'its answer', batch, () => answerBulk(request, result, 0))
})

t.test('the slowest', async t => {
  const sorted = [...worst].sort(([, a], [, b]) => b - a)
  for (const [name, ms] of sorted.slice(0, 15)) t.comment(`${ms.toFixed(2)} ms ${name}`)
  t.pass(`${worst.size} bodies were measured`)
})
