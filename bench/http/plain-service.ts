/**
 * The API as a capable programmer would write it without counting bytes: parsed JSON in, an object out. Every rival shares it
 * and differs in its store, its HTTP server and how it keeps accounts; a check before each run compares its answers
 * with postrie's.
 */
import { cityKey } from '../../src/text/city.ts'
import type { Store } from '../stores/store.ts'

/** Who pays. Rivals keep balances in memory only, which is less than postrie does. */
export interface Payer {
  /** False when the balance is too low. */
  charge(queries: number): boolean
  balanceMicros(): number
}
export type FindPayer = (apiKey: string) => Payer | undefined

export interface Reply {
  status: number
  body: object
}

type Body = Readonly<Record<string, unknown>>

const COUNTRY = /^[A-Za-z]{2}$/
const OFF = { limit: null, current: null, approachingLimit: false }
const RATE_LIMIT = { enabled: false, perMinute: OFF, perHour: OFF, perDay: OFF }

export class PlainService {
  readonly #store: Store
  readonly #findPayer: FindPayer

  constructor(store: Store, findPayer: FindPayer) {
    this.#store = store
    this.#findPayer = findPayer
  }

  lookup(body: Body): Reply {
    return this.#answer(body, (country, key, rest) => {
      const found = this.#store.lookup(country, key)
      if (found === undefined) return undefined
      const { city, name1, code1, latitude, longitude } = found
      const isUS = country === 'US'
      return { city, state: isUS ? name1 : '', ST: isUS ? code1 : '', latitude, longitude, ...rest() }
    })
  }

  metacode(body: Body): Reply {
    return this.#answer(body, (country, key, rest) => {
      const found = this.#store.record(country, key)
      if (found === undefined) return undefined
      const { written, city, name1, code1, name2, latitude, longitude, accuracy, timezone, elevation } = found
      const common = {
        ...(latitude !== null && { latitude, longitude }),
        ...(accuracy && { accuracy }),
        ...(timezone && { timezone }),
        ...(elevation !== null && { elevation }),
      }
      if (country === 'US') {
        const county = name2 === '' ? {} : { county: name2 }
        const meta = { zipcode: written, city, state: name1, stateAbbrev: code1, ...county, ...common }
        return { meta, ...rest() }
      }
      const meta: Record<string, unknown> = { postalCode: written, country, placeName: city }
      for (const level of ['name1', 'code1', 'name2', 'code2', 'name3', 'code3'] as const) {
        if (found[level] !== '') meta[`admin_${level}`] = found[level]
      }
      return { meta: Object.assign(meta, common), ...rest() }
    })
  }

  validate(body: Body): Reply {
    return this.#answer(body, (country, key, rest) => {
      const valid = this.#store.written(country, key) !== undefined
      return { valid, zipcode: body.zipcode, responseTime: '0ms', ...rest() }
    })
  }

  city(body: Body): Reply {
    const { city, ST } = body
    if (typeof city !== 'string' || city === '') return fail(400, 'Missing required field: city')
    return this.#answer({ ...body, zipcode: '-' }, (country, _key, rest) => {
      const zipcodes = this.#store.codesOfCity(
        country,
        cityKey(city),
        typeof ST === 'string' ? ST : undefined,
      )
      return zipcodes.length === 0 ? undefined : { zipcodes, ...rest() }
    })
  }

  bulk({ apiKey, records }: Body): Reply {
    if (typeof apiKey !== 'string' || apiKey === '') return fail(400, 'Missing required field: apiKey')
    if (!Array.isArray(records)) return fail(400, 'Missing required field: records (must be an array)')
    const results = []
    for (const { postalCode, countryCode } of records) {
      if (typeof postalCode !== 'string' || !COUNTRY.test(countryCode)) return fail(400, 'records[N]')
      const country = countryCode.toUpperCase()
      const normalized = this.#store.written(country, canonical(postalCode)) ?? null
      const valid = normalized !== null
      results.push({
        postalCode,
        countryCode: country,
        valid,
        normalized,
        reason: valid ? null : 'not_found',
      })
    }
    const payer = this.#findPayer(apiKey)
    if (payer === undefined) return fail(401, 'Invalid API key')
    if (!payer.charge(results.length)) return fail(402, 'Insufficient balance for bulk request')
    const totalCost = (results.length * 28) / 1e6
    const rest = { performance: { totalTime: '0ms' }, rateLimit: { enabled: false } }
    return { status: 200, body: { results, totalCost, balance: payer.balanceMicros() / 1e6, ...rest } }
  }

  #answer(body: Body, find: (country: string, key: string, rest: () => object) => object | undefined): Reply {
    const started = performance.now()
    const { apiKey, zipcode, country = 'US' } = body
    if (typeof apiKey !== 'string' || apiKey === '') return fail(400, 'Missing required field: apiKey')
    if (typeof zipcode !== 'string' || zipcode === '') return fail(400, 'Missing required field: zipcode')
    if (typeof country !== 'string' || !COUNTRY.test(country)) return fail(400, "Invalid 'country'")
    const payer = this.#findPayer(apiKey)
    if (payer === undefined) return fail(401, 'Invalid API key')
    // The rest is made after the charge, so that the balance is the one after this query.
    const rest = () => {
      payer.charge(1)
      const time = `${Math.round(performance.now() - started)}ms`
      const performanceTimes = {
        authTime: '0ms',
        rateLimitCheckTime: '0ms',
        balanceTime: '0ms',
        processingTime: time,
        totalTime: time,
      }
      return {
        performance: performanceTimes,
        rateLimit: RATE_LIMIT,
        balance: payer.balanceMicros() / 1e6,
      }
    }
    if (payer.balanceMicros() < 28) return fail(402, 'Insufficient balance')
    const found = find(country.toUpperCase(), canonical(zipcode), rest)
    return found === undefined ? fail(404, 'Not found') : { status: 200, body: found }
  }
}

function canonical(code: string): string {
  return code.toUpperCase().replace(/[\s.-]/g, '')
}

function fail(status: number, error: string): Reply {
  return { status, body: { error } }
}
