/** The OpenAPI 3.1 document, derived from the tables of endpoints and errors. */
import { API_VERSION } from '../endpoints/account.ts'
import { ENDINGS, EXAMPLE_ENDINGS } from '../endpoints/endings.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { type JsonSchema, jsonSchema, named, nullable, object, text } from '../endpoints/schema.ts'
import { ENDPOINT_LIST, pathsOf } from '../endpoints/table.ts'
import { errorResponses } from './error-answers.ts'
import {
  ANSWER_HEADER_REFERENCES,
  ANSWER_HEADERS,
  PARAMETER_REFERENCES,
  REQUEST_PARAMETERS,
} from './headers.ts'

const HEALTH_GROUP = 'Warming and health'

const DESCRIPTION =
  'Every operation is a `POST` with a JSON object that has `apiKey`. Only answers are charged. Errors are free. ' +
  'Clients must ignore unknown fields.'

const API_KEY = text(
  'The secret of an API key. It may be sent in the header `Authorization: Bearer` or `X-API-Key` instead.',
  {
    minLength: 1,
    examples: ['<API_KEY>'],
  },
)

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
    info: { title: 'postrie', version: API_VERSION, description: DESCRIPTION },
    servers: [{ url: server }],
    tags: [...new Set(ENDPOINT_LIST.map(({ group }) => group)), HEALTH_GROUP].map(name => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(components),
      headers: ANSWER_HEADERS,
      parameters: REQUEST_PARAMETERS,
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
  const whole = named(`${inCapitals}Answer`, object('', { ...answer, ...ENDINGS[ending] }))
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
              schema: jsonSchema(whole, components),
              example: { ...example.answer, ...EXAMPLE_ENDINGS[ending] },
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
      responses: { 200: fixed('Free, without a key.', { status: 'warm' }) },
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

function fixed(description: string, example: Readonly<Record<string, unknown>>) {
  const properties = Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      Array.isArray(value) ? { type: 'array', items: { type: 'string' } } : { const: value },
    ]),
  )
  const schema = { type: 'object', properties, required: Object.keys(example) }
  return { description, content: { 'application/json': { schema, example } } }
}

const HEALTH = {
  '/healthz': {
    get: {
      operationId: 'healthz',
      tags: [HEALTH_GROUP],
      summary: 'Reports that the process runs',
      responses: { 200: fixed('The process runs.', { status: 'ok' }) },
    },
  },
  '/readyz': {
    get: {
      operationId: 'readyz',
      tags: [HEALTH_GROUP],
      summary: 'Reports if requests can be answered and charged',
      responses: {
        200: fixed('Requests can be answered and charged.', { status: 'ok' }),
        503: fixed('Requests cannot be answered or charged, with the reasons.', {
          status: 'unavailable',
          reasons: ['the ledger cannot be written'],
        }),
      },
    },
  },
}
