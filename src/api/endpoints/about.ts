/** POST /api/aboutapi: what this service is and holds. Free; it asks only for a valid key. */
import type { PostalIndex } from '../../index/postal-index.ts'
import { dollarsJson } from '../../money.ts'
import { FIELD } from '../request/field-slots.ts'
import { fail } from '../response/respond.ts'
import type { ApiRequest } from '../service.ts'

export const API_VERSION = '2.0.0'

export function about(request: ApiRequest, body: Uint8Array): void {
  const { fields, service } = request
  request.begin(performance.now())
  if (!fields.read(body)) return fail(request, 'INVALID_JSON')
  if (!fields.hasText(FIELD.apiKey)) return fail(request, 'MISSING_API_KEY_ABOUT')
  const key = service.meter.authenticate(fields.bytes, fields.starts[FIELD.apiKey], fields.ends[FIELD.apiKey])
  if (key === undefined) return fail(request, 'INVALID_API_KEY')
  const text = {
    ...describe(service.index),
    version: API_VERSION,
    usage:
      'POST JSON with your apiKey to /api/lookup, /api/metacode, /api/validate, /api/city or /api/validate-bulk. ' +
      'Each answered query costs $0.000028; errors and this page are free.',
    performance: { totalTime: `${Math.round(performance.now() - request.startedMs)}ms` },
  }
  request.large = `${JSON.stringify(text).slice(0, -1)},"balance":${dollarsJson(key.account.availableMicros)}}`
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
