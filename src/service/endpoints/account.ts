/** Free endpoints: balance, aboutapi. The ending adds the balance to both. */
import { dollars, QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { endpoint } from './endpoint.ts'
import { text } from './schema.ts'

/** Version of the API, not of the package. */
export const API_VERSION = '2.0.0'

function about(coverage: string) {
  return {
    About: `postrie: postal code lookup, metadata, validation and city search over ${coverage}.`,
    coverage,
    version: API_VERSION,
    usage:
      'POST JSON with your apiKey to /api/lookup, or to another path in /openapi.json. ' +
      `Each answered query costs $${dollars(QUERY_PRICE_MICROS)}; errors and this page are free.`,
  }
}

export const balance = endpoint({
  name: 'balance',
  usageClass: null,
  group: 'Account',
  summary: 'Balance of the account',
  description: 'Free, and not counted against the rate limits. Connectors test a connection with it.',
  fields: {},
  answer: {},
  ending: 'free',
  example: { body: {}, answer: {} },
  run: () => ({}),
})

export const aboutapi = endpoint({
  name: 'aboutapi',
  usageClass: null,
  group: 'Account',
  summary: 'Version and coverage',
  description: 'Free, and not counted against the rate limits.',
  fields: {},
  answer: {
    About: text('What this service is and holds.'),
    coverage: text('Numbers of codes and countries in the loaded index.'),
    version: text('Version of this API.'),
    usage: text('How to call it, and what a query costs.'),
  },
  ending: 'free',
  missingKey: 'MISSING_API_KEY_ABOUT',
  example: {
    body: {},
    answer: about('312,581 postal codes of 80 countries and territories'),
  },
  run(codes) {
    const holdings = codes.about()
    return about(
      `${holdings.codes.toLocaleString('en-US')} postal codes of ${holdings.countries} countries and territories`,
    )
  },
})
