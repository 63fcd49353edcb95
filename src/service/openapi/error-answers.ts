/** Error responses of the OpenAPI document, derived from the table of errors. */
import type { Endpoint } from '../endpoints/endpoint.ts'
import {
  integer,
  type JsonSchema,
  jsonSchema,
  type Members,
  named,
  optional,
  text,
} from '../endpoints/schema.ts'
import {
  ADD_FUNDS,
  CHANGE_RULES,
  ERROR_STATUSES,
  ERRORS,
  type ErrorCode,
  type ErrorStatus,
} from '../errors.ts'
import { ANSWER_HEADER_REFERENCES } from './headers.ts'

/** Errors of every endpoint. */
const COMMON: readonly ErrorCode[] = [
  'INVALID_JSON',
  'INVALID_API_KEY',
  'KEY_ADDRESS',
  'METHOD_NOT_ALLOWED',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_ENCODING',
  'INTERNAL',
  'UNAVAILABLE',
]

const MESSAGE = text('A sentence for the reader.')
const WAIT = integer('Whole seconds until the same request could pass; also in the header `Retry-After`.', {
  minimum: 1,
})

/** Members of an error besides `error`, by status. */
const MORE: Readonly<Record<number, Members>> = {
  402: {
    currentBalance: text("The account's balance, rounded down to four decimals.", {
      pattern: '^\\$\\d+\\.\\d{4}$',
    }),
    message: MESSAGE,
  },
  403: { message: MESSAGE },
  429: { retryAfter: optional(WAIT), message: optional(MESSAGE) },
}

const NO_FUNDS = { currentBalance: '$0.0000', message: ADD_FUNDS }

const MORE_EXAMPLES: Partial<Record<ErrorCode, object>> = {
  INSUFFICIENT_BALANCE: NO_FUNDS,
  INSUFFICIENT_BALANCE_BULK: NO_FUNDS,
  KEY_ENDPOINT: { message: `This API key may be used for free endpoints only. ${CHANGE_RULES}` },
  KEY_ADDRESS: {
    message: `This API key may be used from certain networks only, and this request came from 203.0.113.7. ${CHANGE_RULES}`,
  },
  RATE_LIMIT: { retryAfter: 37 },
  RATE_LIMIT_BULK: { retryAfter: 37 },
}

export function errorResponses(
  endpoint: Endpoint,
  components: Map<string, JsonSchema>,
): Record<string, unknown> {
  const codes = errorsOf(endpoint)
  const statuses = [...new Set(codes.map(code => ERRORS[code].status))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map(status => [String(status), errorResponse(status, codes, components)]),
  )
}

export function errorsOf({ fields, errors, usageClass, isBulk, missingKey }: Endpoint): ErrorCode[] {
  const money: readonly ErrorCode[] = isBulk
    ? ['INSUFFICIENT_BALANCE_BULK', 'RATE_LIMIT_BULK', 'KEY_ENDPOINT']
    : ['INSUFFICIENT_BALANCE', 'RATE_LIMIT', 'KEY_ENDPOINT']
  return [
    ...new Set([
      missingKey,
      ...Object.values(fields).flatMap(field => field.errors),
      ...(usageClass === null ? [] : money),
      ...errors,
      ...COMMON,
    ]),
  ]
}

function errorResponse(status: ErrorStatus, all: readonly ErrorCode[], components: Map<string, JsonSchema>) {
  const codes = all.filter(code => ERRORS[code].status === status)
  const { text: description } = ERROR_STATUSES[status]
  const schema = named(`Error${status}`, description, { error: text(''), ...MORE[status] })
  const texts = codes.map(code => ERRORS[code].text)
  const examples = codes.map(code => [
    code,
    { value: { error: ERRORS[code].text.replace('[N]', '[0]'), ...MORE_EXAMPLES[code] } },
  ])
  return {
    description,
    headers: {
      ...(status === 405 ? { Allow: header('POST') } : {}),
      ...(status === 429 || status === 503
        ? { 'Retry-After': header('Seconds to wait, if waiting helps.') }
        : {}),
      ...ANSWER_HEADER_REFERENCES,
    },
    content: {
      'application/json': {
        schema: {
          allOf: [
            jsonSchema(schema, components),
            { properties: { error: { pattern: `^(?:${texts.map(pattern).join('|')})$` } } },
          ],
        },
        examples: Object.fromEntries(examples),
      },
    },
  }
}

function header(description: string) {
  return { description, schema: { type: 'string' } }
}

/** Returns a regular expression for the text; `[N]` matches any number. */
function pattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace('\\[N\\]', '\\[\\d+\\]')
}
