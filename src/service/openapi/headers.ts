/** Headers of requests and answers beyond those of HTTP. */

import { REQUEST_ID } from '../limits.ts'

const ID = { type: 'string', pattern: REQUEST_ID.source }

export const ANSWER_HEADERS = {
  'X-Request-Id': {
    description:
      "The request's id: the client's, or a new one. Sent if the client sent one, or if a setting says so.",
    schema: ID,
  },
  'X-Index-Build': {
    description: 'Build of the index of the answer. Sent on request, or if a setting says so.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: "The stricter of the account's and the key's limits: quota `q` in a window of `w` seconds.",
    schema: { type: 'string', examples: ['"minute";q=600;w=60, "day";q=100000;w=86400'] },
  },
  RateLimit: {
    description:
      'The rest of each limit: `r` queries, for `t` seconds. Sent if the account or the key has limits.',
    schema: { type: 'string', examples: ['"minute";r=594;t=31, "day";r=99102;t=40511'] },
  },
}

export const ANSWER_HEADER_REFERENCES = Object.fromEntries(
  Object.keys(ANSWER_HEADERS).map(name => [name, { $ref: `#/components/headers/${name}` }]),
)

export const REQUEST_PARAMETERS = {
  requestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'An id for the answer and the log. An id with other characters is replaced.',
    schema: ID,
  },
  indexBuild: {
    name: 'X-Index-Build',
    in: 'header',
    description: 'Any value requests the header `X-Index-Build` in the answer.',
    schema: { type: 'string' },
  },
}

export const PARAMETER_REFERENCES = Object.keys(REQUEST_PARAMETERS).map(name => ({
  $ref: `#/components/parameters/${name}`,
}))
