/** The OpenAPI 3.1 document, made from the shapes that the code is checked against and from the table of errors. */
import { API_VERSION } from './api-version.ts'
import { errorResponses } from './error-answers.ts'
import {
  ANSWER_HEADER_REFERENCES,
  ANSWER_HEADERS,
  PARAMETER_REFERENCES,
  REQUEST_PARAMETERS,
} from './headers.ts'
import type { Operation } from './operation.ts'
import { OPERATIONS } from './operations.ts'
import { type JsonSchema, jsonSchema } from './schema.ts'

const HEALTH_GROUP = 'Warming and health'

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: Readonly<Record<string, string>>
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly headers: typeof ANSWER_HEADERS
    readonly parameters: typeof REQUEST_PARAMETERS
  }
}

const DESCRIPTION =
  'Every operation is a `POST` with a JSON object that carries `apiKey`. Only answers are charged; every error is free. ' +
  'Clients must ignore fields that they do not know.'

/** @param server where the API is, as its clients see it */
export function openApiDocument(server: string): OpenApiDocument {
  const components = new Map<string, JsonSchema>()
  const paths = Object.fromEntries(
    OPERATIONS.map(operation => [
      operation.path,
      { post: postOf(operation, components), get: warmOf(operation) },
    ]),
  )
  return {
    openapi: '3.1.0',
    info: { title: 'postrie', version: API_VERSION, description: DESCRIPTION },
    servers: [{ url: server }],
    tags: [...new Set(OPERATIONS.map(({ group }) => group)), HEALTH_GROUP].map(name => ({ name })),
    paths: { ...paths, ...HEALTH },
    components: {
      schemas: Object.fromEntries(components),
      headers: ANSWER_HEADERS,
      parameters: REQUEST_PARAMETERS,
    },
  }
}

/** `/api/validate-bulk` is `validate-bulk`. */
function idOf({ path }: Operation): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function postOf(operation: Operation, components: Map<string, JsonSchema>) {
  const { group, summary, description, request, answer, errors, example, isDeprecated } = operation
  return {
    operationId: idOf(operation),
    tags: [group],
    summary,
    description,
    ...(isDeprecated === true ? { deprecated: true } : {}),
    parameters: PARAMETER_REFERENCES,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: jsonSchema(request, components),
          example: { apiKey: '<API_KEY>', ...(example.request as object) },
        },
      },
    },
    responses: {
      200: {
        description: 'The answer.',
        headers: ANSWER_HEADER_REFERENCES,
        content: { 'application/json': { schema: jsonSchema(answer, components), example: example.answer } },
      },
      ...errorResponses(errors, components),
    },
  }
}

/** A `GET` of any path of the API opens a connection ahead of need. */
function warmOf(operation: Operation) {
  return {
    operationId: `warm-${idOf(operation)}`,
    tags: [HEALTH_GROUP],
    summary: 'Opens a connection ahead of need',
    responses: { 200: fixed('Free, without a key.', { status: 'warm' }) },
  }
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
      summary: 'Whether the process answers at all',
      responses: { 200: fixed('It does.', { status: 'ok' }) },
    },
  },
  '/readyz': {
    get: {
      operationId: 'readyz',
      tags: [HEALTH_GROUP],
      summary: 'Whether requests can be answered and charged',
      responses: {
        200: fixed('They can.', { status: 'ok' }),
        503: fixed('They cannot, and why.', {
          status: 'unavailable',
          reasons: ['the ledger cannot be written'],
        }),
      },
    },
  },
}
