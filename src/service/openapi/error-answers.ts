/** Error responses of the OpenAPI document, derived from the table of errors. */
import type { Endpoint } from '../endpoints/endpoint.ts'
import {
  integer,
  type JsonSchema,
  jsonSchema,
  type Members,
  named,
  object,
  optional,
  text,
} from '../endpoints/schema.ts'
import { ERRORS, type ErrorCode } from '../errors.ts'
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

const NO_FUNDS = { currentBalance: '$0.0000', message: 'Add funds in the account dashboard to continue.' }
const RULES_OWNER = 'Its owner can change that under API keys in the account dashboard.'

/** Members of examples besides `error`. */
const MORE_EXAMPLES: Partial<Record<ErrorCode, object>> = {
  INSUFFICIENT_BALANCE: NO_FUNDS,
  INSUFFICIENT_BALANCE_BULK: NO_FUNDS,
  KEY_ENDPOINT: { message: `This API key may be used for free endpoints only. ${RULES_OWNER}` },
  KEY_ADDRESS: {
    message: `This API key may be used from certain networks only, and this request came from 203.0.113.7. ${RULES_OWNER}`,
  },
  RATE_LIMIT: { retryAfter: 37 },
  RATE_LIMIT_BULK: { retryAfter: 37 },
}

export const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  401: 'The key does not exist, has been revoked, or has expired.',
  402: "The balance, or the rest of the key's cap, is below the price.",
  403: 'The rules of the key do not allow this address or this endpoint.',
  404: 'There is no such code, city or place.',
  405: 'Neither `POST` nor `GET`.',
  413: 'The body is too large.',
  415: 'The body has a content encoding.',
  429: 'A rate limit is reached. Without `retryAfter`, the bulk request itself is larger than a limit.',
  500: 'The service failed. The log has the error with an id.',
  503: 'Charges cannot be recorded, or the queue is full.',
}

export function errorResponses(
  endpoint: Endpoint,
  components: Map<string, JsonSchema>,
): Record<string, unknown> {
  const codes = errorsOf(endpoint)
  const statuses = [...new Set(codes.map(code => ERRORS[code][0]))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map(status => [
      String(status),
      errorResponse(
        status,
        codes.filter(code => ERRORS[code][0] === status),
        components,
      ),
    ]),
  )
}

export function errorsOf({ fields, errors, usage, isBulk, missingKey }: Endpoint): ErrorCode[] {
  const money: readonly ErrorCode[] = isBulk
    ? ['INSUFFICIENT_BALANCE_BULK', 'RATE_LIMIT_BULK', 'KEY_ENDPOINT']
    : ['INSUFFICIENT_BALANCE', 'RATE_LIMIT', 'KEY_ENDPOINT']
  return [
    ...new Set([
      missingKey,
      ...Object.values(fields).flatMap(field => field.errors),
      ...(usage === null ? [] : money),
      ...errors,
      ...COMMON,
    ]),
  ]
}

function errorResponse(status: number, codes: readonly ErrorCode[], components: Map<string, JsonSchema>) {
  const schema = named(`Error${status}`, object(STATUS_TEXTS[status], { error: text(''), ...MORE[status] }))
  const texts = codes.map(code => ERRORS[code][1])
  const examples = codes.map(code => [
    code,
    { value: { error: ERRORS[code][1].replace('[N]', '[0]'), ...MORE_EXAMPLES[code] } },
  ])
  return {
    description: STATUS_TEXTS[status],
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
