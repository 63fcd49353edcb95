/** Endings of answers: members that are added to the answer of an endpoint. */
import { dollars, QUERY_PRICE_MICROS } from '../../billing/money.ts'
import {
  flag,
  integer,
  type Members,
  named,
  nullable,
  number,
  type ObjectOf,
  object,
  optional,
  type Schema,
  text,
} from './schema.ts'

export type EndingKind = keyof typeof ENDINGS
export type EndingOf<K extends EndingKind> = ObjectOf<(typeof ENDINGS)[K]>

const duration = (description: string) => text(description, { pattern: '^\\d+ms$', examples: ['0ms'] })
const totalTime = duration('Time inside the server, in whole milliseconds.')

const PERFORMANCE = named('Performance', 'Measured times.', { totalTime })

const FULL_PERFORMANCE = named('FullPerformance', 'Measured times, step by step.', {
  authTime: duration('Reading the request and finding its key.'),
  rateLimitCheckTime: duration('Checking the rate limits.'),
  balanceTime: duration('Checking the balance.'),
  processingTime: duration('Finding and writing the answer.'),
  totalTime,
})

const WINDOW = named('RateWindow', 'One window of the rate limits.', {
  limit: nullable(integer('Queries that the window allows; null without a limit.', { minimum: 1 })),
  current: nullable(
    integer('Queries counted in it, this request included; null while rate limits are off.', {
      minimum: 0,
    }),
  ),
  approachingLimit: flag('True from 80 percent of `limit` on.'),
})

const enabled = flag('True if the account has rate limits.')
const RATE_LIMIT = named('RateLimit', 'The rate limits of the account.', {
  enabled,
  perMinute: WINDOW,
  perHour: WINDOW,
  perDay: WINDOW,
})
const BULK_RATE_LIMIT = named(
  'BatchRateLimit',
  'The rate limits of the account. If they are off, it has only `enabled`.',
  {
    enabled,
    perMinute: optional(WINDOW),
    perHour: optional(WINDOW),
    perDay: optional(WINDOW),
  },
)

const BALANCE = number('Dollars left after this request.', { minimum: 0, examples: [4.999972] })

export const ENDINGS = {
  full: { performance: FULL_PERFORMANCE, rateLimit: RATE_LIMIT, balance: BALANCE },
  single: { performance: PERFORMANCE, rateLimit: RATE_LIMIT, balance: BALANCE },
  timed: { responseTime: totalTime, performance: PERFORMANCE, rateLimit: RATE_LIMIT, balance: BALANCE },
  bulk: {
    totalCost: number('Price of the request in dollars.', { minimum: 0 }),
    balance: BALANCE,
    performance: PERFORMANCE,
    rateLimit: BULK_RATE_LIMIT,
  },
  free: { performance: PERFORMANCE, balance: BALANCE },
} as const satisfies Record<string, Members>

/** Member `rateLimit` of an account without limits. */
export const RATE_LIMIT_OFF = exampleOf(RATE_LIMIT)

/** Returns the example of a shape, or its plainest value: null, false, and no optional members. */
function exampleOf<T>({ json, members }: Schema<T>): T {
  const { examples, type } = json
  if (members === undefined)
    return (Array.isArray(examples) ? examples[0] : Array.isArray(type) ? null : false) as T
  const present = Object.entries<Schema<unknown>>(members).filter(([, member]) => member.isOptional !== true)
  return Object.fromEntries(present.map(([name, member]) => [name, exampleOf(member)])) as T
}

/** Returns the whole answer of an example, charged to a balance of five dollars. */
export function exampleAnswer(endpoint: { example: { answer: object }; ending: EndingKind }): object {
  const { ending, example } = endpoint
  const { answer } = example
  const end = exampleOf<object>(object('', ENDINGS[ending]))
  const records = 'results' in answer && Array.isArray(answer.results) ? answer.results.length : 1
  const totalCost = dollars(records * QUERY_PRICE_MICROS)
  const ofBulk = ending === 'bulk' && {
    totalCost,
    balance: dollars(5_000_000 - records * QUERY_PRICE_MICROS),
  }
  return { ...answer, ...end, ...ofBulk }
}
