/** Compares answers of a server with the OpenAPI document. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { openApiDocument } from '../../src/service/openapi/document.ts'
import type { Answer } from './post.ts'

type Node = Record<string, unknown>

export const DOCUMENT = openApiDocument('/')

/** Copies `node` and forbids unknown fields in its objects. Clients must accept such fields, tests must not. */
function strict(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(strict)
  if (typeof node !== 'object' || node === null) return node
  const copy: Node = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, strict(value)]))
  return copy.type === 'object' && 'properties' in copy ? { ...copy, additionalProperties: false } : copy
}

const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { regex: true } })
ajv.addSchema(strict(DOCUMENT) as Node, 'document')
const compiled = new Map<string, ValidateFunction>()

function validatorAt(pointer: readonly string[]): ValidateFunction {
  const id = `document#/${pointer.map(part => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
  const known = compiled.get(id)
  if (known !== undefined) return known
  const made = ajv.compile({ $ref: id })
  compiled.set(id, made)
  return made
}

/** Lists the violations of `value` against the document at `pointer`. */
export function problemsAt(pointer: readonly string[], value: unknown): string[] {
  const isValid = validatorAt(pointer)
  if (isValid(value)) return []
  return (isValid.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

/** Returns the pointer to the schema of an operation's request, or of its answer with `status`. */
export function requestSchema(path: string): string[] {
  return ['paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema']
}

export function answerSchema(path: string, method: string, status: number): string[] {
  return ['paths', path, method, 'responses', String(status), 'content', 'application/json', 'schema']
}

/** Accepts unknown paths and methods. @throws Error when the document has the operation, but not this answer */
export function checkAnswer(method: string, path: string, { status, json }: Answer): void {
  const operation = DOCUMENT.paths[path]?.[method.toLowerCase()] as { responses: Node } | undefined
  if (operation === undefined || json === undefined) return
  const problems =
    operation.responses[status] === undefined
      ? ['no such status']
      : problemsAt(answerSchema(path, method.toLowerCase(), status), json)
  if (problems.length > 0)
    throw new Error(`${method} ${path} answered ${status}, and the document says: ${problems.join('; ')}`)
}
