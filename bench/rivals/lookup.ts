/**
 * `/api/lookup` in plain JavaScript: parsed JSON in, an object out. Fastify and Express share it over their own stores. Balances live
 * only in memory, so rivals do less work.
 */

import { QUERY_PRICE_MICROS } from '../../src/billing/money.ts'

/** A code with its place. Unknown texts are `''`, unknown numbers null. */
export interface CodeRecord {
  country: string
  key: string
  written: string
  city: string
  state: string
  ST: string
  latitude: number | null
  longitude: number | null
}

export interface Store {
  /** @param key upper case without separators */
  find(country: string, key: string): CodeRecord | undefined
}

interface Reply {
  status: number
  body: object
}

export const API_KEY = `pk_live_${'0123456789'.repeat(4).slice(0, 36)}`
const COUNTRY = /^[A-Za-z]{2}$/
const OFF = { limit: null, current: null, approachingLimit: false }
const RATE_LIMIT = { enabled: false, perMinute: OFF, perHour: OFF, perDay: OFF }

export function lookupService(store: Store): (body: Readonly<Record<string, unknown>>) => Reply {
  const balances = new Map([[API_KEY, 1_000_000_000_000]])
  return body => {
    const started = performance.now()
    const { apiKey, zipcode, country = 'US' } = body
    if (typeof apiKey !== 'string' || apiKey === '') return fail(400, 'Missing required field: apiKey')
    if (typeof zipcode !== 'string' || zipcode === '') return fail(400, 'Missing required field: zipcode')
    if (typeof country !== 'string' || !COUNTRY.test(country)) return fail(400, "Invalid 'country'")
    const micros = balances.get(apiKey)
    if (micros === undefined) return fail(401, 'Invalid API key')
    if (micros < QUERY_PRICE_MICROS) return fail(402, 'Insufficient balance')
    const cc = country.toUpperCase()
    const found = store.find(cc, canonical(zipcode))
    if (found === undefined) return fail(404, 'Not found')
    balances.set(apiKey, micros - QUERY_PRICE_MICROS)
    const { city, state, ST, latitude, longitude } = found
    const time = `${Math.round(performance.now() - started)}ms`
    return {
      status: 200,
      body: {
        city,
        state: cc === 'US' ? state : '',
        ST: cc === 'US' ? ST : '',
        ...(latitude !== null && { latitude, longitude }),
        performance: {
          authTime: '0ms',
          rateLimitCheckTime: '0ms',
          balanceTime: '0ms',
          processingTime: time,
          totalTime: time,
        },
        rateLimit: RATE_LIMIT,
        balance: (micros - QUERY_PRICE_MICROS) / 1e6,
      },
    }
  }
}

export function canonical(code: string): string {
  return code.toUpperCase().replace(/[\s.-]/g, '')
}

function fail(status: number, error: string): Reply {
  return { status, body: { error } }
}
