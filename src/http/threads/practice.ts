/**
 * Answers invented requests when a thread has begun to listen, so that V8 has compiled the code by the time of the first real
 * ones: without it, they take ten times as long, and a turn of the event loop that answers many of them as much longer. Nobody is
 * charged, nothing is counted, and real requests are answered in between.
 */
import { setImmediate } from 'node:timers'
import { practiceCharging } from '../../accounts/charging/practice-charging.ts'
import { autocomplete } from '../../api/endpoints/autocomplete.ts'
import { answerBulk } from '../../api/endpoints/bulk.ts'
import { city } from '../../api/endpoints/city.ts'
import { countries, format } from '../../api/endpoints/countries.ts'
import { lookup } from '../../api/endpoints/lookup.ts'
import { metacode } from '../../api/endpoints/metacode.ts'
import { nearest } from '../../api/endpoints/nearest.ts'
import { validate } from '../../api/endpoints/validate.ts'
import { answer } from '../../api/response/answer.ts'
import { ApiRequest, type Endpoint } from '../../api/service.ts'
import type { BatchKind } from '../../bulk/bulk-result.ts'
import { BatchValidator } from '../../bulk/validate-batch.ts'
import { adminField, viewCode } from '../../index/codes/code-view.ts'
import type { Country } from '../../index/country.ts'
import type { PostalIndex } from '../../index/postal-index.ts'

/** How long after it has begun to listen: what else happens then is more urgent. */
const DELAY_MS = 50
/** Milliseconds in all, and in one turn of the event loop. */
const PRACTICE_MS_MAX = 100
const TURN_MS = 1
/** How often each request is answered, unless that takes longer. */
const ROUNDS = 40
const BATCH_RECORDS = 20
/** Place of an area's code among the fields of `adminField`. */
const FIRST_CODE = 1
const UNKNOWN_CODE = 'QQQ 0QQ'

/** Answers one request. @returns its status */
export type Exercise = () => number

interface Practice {
  readonly index: PostalIndex
  /** Each step is one turn of the event loop. */
  readonly turns: Generator<void>
}

function practiceOf(index: PostalIndex): Practice {
  return { index, turns: turnsOf(index) }
}

/**
 * Begins to practise, in a moment.
 * @param present the index that is served, which practice ends with
 * @returns ends it
 */
export function practise(present: () => PostalIndex): () => void {
  // Nothing of it is kept when it has ended.
  let practice: Practice | undefined = practiceOf(present())
  let spentMs = 0
  const turn = (): void => {
    if (practice === undefined) return
    if (present() !== practice.index) return end()
    const startedMs = performance.now()
    const isDone = isLast(practice.turns)
    spentMs += performance.now() - startedMs
    if (isDone || spentMs >= PRACTICE_MS_MAX) return end()
    setImmediate(turn)
  }
  const timer = setTimeout(turn, DELAY_MS).unref()
  const end = (): void => {
    practice = undefined
    clearTimeout(timer)
  }
  return end
}

/** Whether there are no further turns: the index may turn out to be damaged, which the first real request for it reports. */
function isLast(turns: Generator<void>): boolean {
  try {
    return turns.next().done === true
  } catch {
    return true
  }
}

function* turnsOf(index: PostalIndex): Generator<void> {
  const exercises: Exercise[] = []
  // The first time takes longest.
  for (const exercise of exercisesFor(index)) {
    yield
    exercise()
    exercises.push(exercise)
    yield
  }
  let startedMs = performance.now()
  for (let round = 1; round < ROUNDS; round++) {
    for (const exercise of exercises) {
      exercise()
      if (performance.now() - startedMs < TURN_MS) continue
      yield
      startedMs = performance.now()
    }
  }
}

/** Requests of all kinds that are charged, for codes that the index has. */
export function* exercisesFor(index: PostalIndex): Generator<Exercise> {
  const { meter, secret } = practiceCharging()
  const request = new ApiRequest({ index, meter })
  const single = (endpoint: Endpoint, fields: object): Exercise => {
    const body = bytesOf({ ...fields, apiKey: secret })
    return () => {
      answer(request, endpoint, body)
      return request.status
    }
  }
  const batch = (kind: BatchKind, record: object): Exercise => {
    const body = bytesOf({ records: new Array(BATCH_RECORDS).fill(record), apiKey: secret })
    const validator = new BatchValidator(index, kind)
    return () => {
      answerBulk(request, validator.validate(body), performance.now(), kind)
      return request.status
    }
  }
  for (const country of countriesOf(index)) {
    const { cc, codeStart, codeCount } = country
    const { written, city: name, admin } = viewCode(index, country, codeStart + (codeCount >> 1))
    const code = { zipcode: written, country: cc }
    const record = { postalCode: written, countryCode: cc }
    const ST = cc === 'US' ? { ST: adminField(index, admin, FIRST_CODE) } : {}
    yield single(lookup, code)
    yield single(lookup, { ...code, zipcode: UNKNOWN_CODE })
    yield single(metacode, code)
    yield single(validate, code)
    yield batch('validate', record)
    yield batch('lookup', record)
    yield single(city, { city: name, country: cc, ...ST })
    yield single(nearest, { ...code, limit: 1 })
    yield single(autocomplete, { query: written, country: cc, limit: 1 })
    yield single(countries, { country: cc })
    yield single(format, code)
  }
}

/** The United States, whose answers are of their own kind, and one of the other countries. */
function countriesOf(index: PostalIndex): Country[] {
  const all = index.countries.all().filter(({ codeCount }) => codeCount > 0)
  const others = all.filter(({ cc }) => cc !== 'US')
  return [...all.filter(({ cc }) => cc === 'US'), ...others.slice(0, 1)]
}

function bytesOf(fields: object): Uint8Array {
  // As uWebSockets.js hands a body over: a Buffer is of another class, and V8 compiles for the classes that it has seen.
  return new Uint8Array(Buffer.from(JSON.stringify(fields)))
}
