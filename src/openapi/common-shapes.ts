/** Shapes that several operations share. */
import {
  either,
  flag,
  integer,
  named,
  nullable,
  number,
  object,
  optional,
  text,
  type Value,
} from './schema.ts'

export const API_KEY = text('The secret of an API key. Only the body carries it.', {
  minLength: 1,
  examples: ['<API_KEY>'],
})

export const COUNTRY = optional(
  nullable(
    text('ISO 3166-1 alpha-2 code in capitals or small letters; `UK` means `GB`, `EL` means `GR`.', {
      default: 'US',
    }),
  ),
)

export const ZIPCODE = either(
  'A postal code, with or without separators. A number is padded with zeros where all codes of a country are digits of one length.',
  text('The code as people write it.', { minLength: 1 }),
  number('The code as a number.'),
)

export const LATITUDE = number('Degrees north, WGS 84.', { minimum: -90, maximum: 90 })
export const LONGITUDE = number('Degrees east, WGS 84.', { minimum: -180, maximum: 180 })

const duration = (what: string) => text(what, { pattern: '^\\d+ms$', examples: ['0ms'] })

/** The short form of `performance`. */
export const PERFORMANCE = named(
  'Performance',
  object('Measured times.', { totalTime: duration('Time inside the server, in whole milliseconds.') }),
)

export const FULL_PERFORMANCE = named(
  'FullPerformance',
  object('Measured times, step by step.', {
    authTime: duration('Reading the request and finding its key.'),
    rateLimitCheckTime: duration('Checking the rate limits.'),
    balanceTime: duration('Checking the balance.'),
    processingTime: duration('Finding and writing the answer.'),
    totalTime: duration('All of it.'),
  }),
)

const WINDOW = named(
  'RateWindow',
  object('One window of the rate limits.', {
    limit: nullable(integer('Queries that the window allows; null: no limit.', { minimum: 1 })),
    current: nullable(
      integer('Queries counted in it, this request included; null while rate limits are off.', {
        minimum: 0,
      }),
    ),
    approachingLimit: flag('Whether `current` is at 80 percent of `limit` or above.'),
  }),
)

export const RATE_LIMIT = named(
  'RateLimit',
  object('The rate limits of the account.', {
    enabled: flag('Whether the account has rate limits.'),
    perMinute: WINDOW,
    perHour: WINDOW,
    perDay: WINDOW,
  }),
)

/** A batch says only that they are off. */
export const BATCH_RATE_LIMIT = named(
  'BatchRateLimit',
  object('The rate limits of the account; `enabled` alone while they are off.', {
    enabled: flag('Whether the account has rate limits.'),
    perMinute: optional(WINDOW),
    perHour: optional(WINDOW),
    perDay: optional(WINDOW),
  }),
)

export const BALANCE = number('Dollars that are left after this request.', {
  minimum: 0,
  examples: [4.999972],
})

/** What every charged answer to a single query ends with, in its two forms. */
export const ENDING = { performance: PERFORMANCE, rateLimit: RATE_LIMIT, balance: BALANCE }
export const FULL_ENDING = { ...ENDING, performance: FULL_PERFORMANCE }
export const BATCH_ENDING = {
  totalCost: number('Price of the request in dollars.', { minimum: 0 }),
  balance: BALANCE,
  performance: PERFORMANCE,
  rateLimit: BATCH_RATE_LIMIT,
}

export type Performance = Value<typeof PERFORMANCE>
export type RateLimit = Value<typeof RATE_LIMIT>

const WINDOW_OFF = { limit: null, current: null, approachingLimit: false }
export const RATE_LIMIT_OFF: RateLimit = {
  enabled: false,
  perMinute: WINDOW_OFF,
  perHour: WINDOW_OFF,
  perDay: WINDOW_OFF,
}

/** The endings of examples. */
export const EXAMPLE_ENDING = {
  performance: { totalTime: '0ms' },
  rateLimit: RATE_LIMIT_OFF,
  balance: 4.999972,
}
export const FULL_EXAMPLE_ENDING = {
  ...EXAMPLE_ENDING,
  performance: {
    authTime: '0ms',
    rateLimitCheckTime: '0ms',
    balanceTime: '0ms',
    processingTime: '0ms',
    totalTime: '0ms',
  },
}
export const BATCH_EXAMPLE_ENDING = {
  totalCost: 0.000056,
  balance: 4.999944,
  performance: { totalTime: '0ms' },
  rateLimit: { enabled: false },
}
