/** balance and aboutapi: what connectors ask for, free. */
import { API_VERSION } from '../api-version.ts'
import { API_KEY, BALANCE, PERFORMANCE } from '../common-shapes.ts'
import { operation } from '../operation.ts'
import { named, object, text } from '../schema.ts'

const REQUEST = object('', { apiKey: API_KEY })

export const balance = operation({
  path: '/api/balance',
  group: 'Account',
  summary: 'What is left to spend',
  description: 'Free, and not counted against the rate limits. Connectors test a connection with it.',
  request: REQUEST,
  answer: named('BalanceAnswer', object('', { balance: BALANCE, performance: PERFORMANCE })),
  errors: [],
  example: { request: {}, answer: { balance: 4.999972, performance: { totalTime: '0ms' } } },
})

export const about = operation({
  path: '/api/aboutapi',
  group: 'Account',
  summary: 'Version and coverage',
  description: 'Free, and not counted against the rate limits.',
  request: REQUEST,
  answer: named(
    'AboutAnswer',
    object('', {
      About: text('What this service is and holds.'),
      version: text('Version of this API.'),
      coverage: text('Numbers of codes and countries in the index that is loaded.'),
      usage: text('How to call it, and what a query costs.'),
      performance: PERFORMANCE,
      balance: BALANCE,
    }),
  ),
  errors: ['MISSING_API_KEY_ABOUT'],
  example: {
    request: {},
    answer: {
      About:
        'postrie: postal code lookup, metadata, validation and city search over 288,957 postal codes of 80 countries and territories.',
      version: API_VERSION,
      coverage: '288,957 postal codes of 80 countries and territories',
      usage: 'POST JSON with your apiKey to /api/lookup, …',
      performance: { totalTime: '0ms' },
      balance: 4.999972,
    },
  },
})
