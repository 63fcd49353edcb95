/** The OpenAPI 3.1 document, derived from the tables of endpoints and errors. */
import { API_VERSION } from '../endpoints/account.ts'
import { ENDINGS, exampleAnswer } from '../endpoints/endings.ts'
import type { Endpoint, Group } from '../endpoints/endpoint.ts'
import { type JsonSchema, jsonSchema, named, nullable, object, optional, text } from '../endpoints/schema.ts'
import { ENDPOINT_LIST, pathsOf } from '../endpoints/table.ts'
import { errorResponses } from './error-answers.ts'
import {
  ANSWER_HEADER_REFERENCES,
  ANSWER_HEADERS,
  PARAMETER_REFERENCES,
  REQUEST_PARAMETERS,
} from './headers.ts'

const HEALTH_GROUP = 'Warming and health'
const GROUPS: Readonly<Record<Group | typeof HEALTH_GROUP, string>> = {
  'Postal codes': 'One code, or the codes around it.',
  'Cities and places': 'Codes of a city, lists and suggestions.',
  Batches: 'Up to 1,000 records in one request.',
  Account: 'The balance and the version, free.',
  [HEALTH_GROUP]: 'Free answers without a key.',
}

const DESCRIPTION =
  'Every operation is a `POST` with a JSON object. The key is its `apiKey`, or in a header. Only answers are charged. Errors are free. ' +
  'Clients must ignore unknown fields.'

const API_KEY = optional(
  text('The secret of an API key, unless a header has it: `Authorization: Bearer` or `X-API-Key`.', {
    minLength: 1,
    examples: ['<API_KEY>'],
  }),
)

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'The key in the header `Authorization`.' },
  header: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The key in a header of its own.' },
}
/** One of the headers, or neither, with `apiKey` in the body. */
const KEYED = [{ bearer: [] }, { header: [] }, {}]
/** No key. */
const OPEN: readonly object[] = []
/** The HTTP server answers so before any operation. */
const BAD_HEAD = {
  400: { description: 'The head of the request is malformed.' },
  431: { description: 'The head of the request is too large.' },
}

export function openApiDocument(server: string) {
  const components = new Map<string, JsonSchema>()
  const operations = ENDPOINT_LIST.flatMap(endpoint =>
    pathsOf(endpoint).map((path, at) => [path, operationsOf(endpoint, path, at > 0, components)]),
  )
  const paths: Record<string, Readonly<Record<string, unknown>>> = {
    ...Object.fromEntries(operations),
    ...HEALTH,
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'postrie',
      version: API_VERSION,
      description: DESCRIPTION,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server }],
    tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
    security: KEYED,
    paths,
    components: {
      schemas: Object.fromEntries(components),
      headers: ANSWER_HEADERS,
      parameters: REQUEST_PARAMETERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

function operationsOf(
  endpoint: Endpoint,
  path: string,
  isAlias: boolean,
  components: Map<string, JsonSchema>,
) {
  const { name, group, description, answer, ending, example } = endpoint
  const id = path.slice(path.lastIndexOf('/') + 1)
  const inCapitals = name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const answerShape = named(`${inCapitals}Answer`, '', { ...answer, ...ENDINGS[ending] })
  return {
    post: {
      operationId: id,
      tags: [group],
      summary: isAlias ? `The older name of ${name}` : endpoint.summary,
      description: isAlias ? `Behaves as \`/api/${name}\` and stays.` : description,
      ...(isAlias ? { deprecated: true } : {}),
      parameters: PARAMETER_REFERENCES,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: jsonSchema(bodyOf(endpoint), components),
            example: { apiKey: '<API_KEY>', ...example.body },
          },
        },
      },
      responses: {
        200: {
          description: 'The answer.',
          headers: ANSWER_HEADER_REFERENCES,
          content: {
            'application/json': {
              schema: jsonSchema(answerShape, components),
              example: exampleAnswer(endpoint),
            },
          },
        },
        ...errorResponses(endpoint, components),
      },
    },
    // A `GET` of any path of the API only opens a connection.
    get: {
      operationId: `warm-${id}`,
      tags: [HEALTH_GROUP],
      summary: 'Opens a connection before the first request',
      description: 'Free, without a key. A request for data is a `POST`.',
      security: OPEN,
      responses: { 200: WARM, ...BAD_HEAD },
    },
  }
}

/** Returns the shape of a body. An optional field may be null, which means absent. */
function bodyOf({ fields }: Endpoint) {
  const members = Object.entries(fields).map(([name, { schema, isRequired }]) => [
    name,
    isRequired ? schema : { ...nullable(schema), isOptional: true },
  ])
  return object('', { apiKey: API_KEY, ...Object.fromEntries(members) })
}

/** Returns a response with fixed values. Members of `optional` may be absent. */
function fixedResponse(
  description: string,
  example: Readonly<Record<string, unknown>>,
  optional: object = {},
) {
  const members = Object.entries(example).map(([name, value]) => [
    name,
    Array.isArray(value) ? { type: 'array', items: { type: 'string' } } : { const: value },
  ])
  const properties = { ...Object.fromEntries(members), ...optional }
  const schema = { type: 'object', properties, required: Object.keys(example) }
  return { description, content: { 'application/json': { schema, example } } }
}

const WARM = fixedResponse(
  'The connection is open. After a query, `message` shows what a request looks like.',
  { status: 'warm' },
  { message: { type: 'string' } },
)

const HEALTH = {
  '/healthz': {
    get: {
      operationId: 'healthz',
      tags: [HEALTH_GROUP],
      summary: 'Reports that the process runs',
      description: 'For the supervisor of the process.',
      security: OPEN,
      responses: { 200: fixedResponse('The process runs.', { status: 'ok' }), ...BAD_HEAD },
    },
  },
  '/readyz': {
    get: {
      operationId: 'readyz',
      tags: [HEALTH_GROUP],
      summary: 'Reports if requests can be answered and charged',
      description: 'For a load balancer.',
      security: OPEN,
      responses: {
        ...BAD_HEAD,
        200: fixedResponse('Requests can be answered and charged.', { status: 'ok' }),
        503: fixedResponse('Requests cannot be answered or charged, with the reasons.', {
          status: 'unavailable',
          reasons: ['the ledger cannot be written'],
        }),
      },
    },
  },
}
