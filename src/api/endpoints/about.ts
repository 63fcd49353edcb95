/** POST /api/aboutapi and /api/balance: what this service is and holds, and what the account has left. Both are free. */
import type { Account } from '../../accounts/types.ts'
import type { ErrorCode } from '../../errors.ts'
import type { PostalIndex } from '../../index/postal-index.ts'
import { QUERY_PRICE_MICROS } from '../../limits.ts'
import { dollars, dollarsJson } from '../../money.ts'
import { API_VERSION } from '../../openapi/api-version.ts'
import { FIELD } from '../request/field-slots.ts'
import { isRefused } from '../response/key-rules.ts'
import { fail, failKey, shortPerformance } from '../response/respond.ts'
import type { ApiRequest } from '../service.ts'

export function about(request: ApiRequest, body: Uint8Array): void {
  const account = freeAccount(request, body, 'MISSING_API_KEY_ABOUT')
  if (account === undefined) return
  const text = {
    ...describe(request.service.index),
    version: API_VERSION,
    usage:
      'POST JSON with your apiKey to /api/lookup, /api/metacode, /api/validate, /api/city or /api/validate-bulk. ' +
      `Each answered query costs $${dollarsJson(QUERY_PRICE_MICROS)}; errors and this page are free.`,
    performance: shortPerformance(request),
    balance: dollars(account.availableMicros),
  }
  request.output.utf8(JSON.stringify(text))
}

/** What connectors ask for to test a connection. */
export function balance(request: ApiRequest, body: Uint8Array): void {
  const account = freeAccount(request, body, 'MISSING_API_KEY')
  if (account === undefined) return
  const text = { balance: dollars(account.availableMicros), performance: shortPerformance(request) }
  request.output.utf8(JSON.stringify(text))
}

/** The account of a request that needs a key, costs nothing and is not counted; undefined when it has been refused. */
function freeAccount(request: ApiRequest, body: Uint8Array, missing: ErrorCode): Account | undefined {
  const { fields, service } = request
  const refuse = (code: ErrorCode) => void fail(request, code)
  request.begin(performance.now())
  if (!fields.read(body)) return refuse('INVALID_JSON')
  if (!fields.hasText(FIELD.apiKey)) return refuse(missing)
  const start = fields.starts[FIELD.apiKey]
  const end = fields.ends[FIELD.apiKey]
  const key = service.meter.authenticate(fields.bytes, start, end)
  request.key = key
  if (key === undefined) return void failKey(request, fields.bytes, start, end)
  if (key.rules !== null && isRefused(request, key.rules, null)) return undefined
  return key.account
}

/** Counted from the index that is loaded. */
function describe(index: PostalIndex): { About: string; coverage: string } {
  const { codeCount, countryCount } = index.file
  const holdings = `${codeCount.toLocaleString('en-US')} postal codes of ${countryCount} countries and territories`
  return {
    About: `postrie: postal code lookup, metadata, validation and city search over ${holdings}.`,
    coverage: holdings,
  }
}
