import { readFileSync } from 'node:fs'
import t from 'tap'
import { ENDPOINT_LIST } from '../../src/service/endpoints/table.ts'
import { post } from '../support/post.ts'
import { openTarget } from './target.ts'

const { baseUrl, key } = await openTarget(t)
const API = readFileSync(new URL('../../../src/service/api/API.md', import.meta.url), 'utf8')

/**
 * A heading that names an endpoint, then the JSON blocks of a request and its response. A body with only a key is not
 * shown.
 */
const EXAMPLE = /^### ([\w-]+)\n(?:(?!^#)[\s\S])*?(?:^```json\n([^`]*)^```\n)?^```json\n([^`]*)^```/gm
/** Parts that an example leaves out. */
const PARTS: ReadonlySet<string> = new Set(['performance', 'rateLimit'])
const LEFT_OUT = /\{…\}/g

/** Returns the shape of a value: its fields by name, and the shape of a list's first element. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  const fields = Object.entries(value).map(([name, field]) => [name, PARTS.has(name) ? '' : shapeOf(field)])
  return Object.fromEntries(fields)
}

const examples = Array.from(API.matchAll(EXAMPLE), ([, name, request = '{}', response]) => ({
  name,
  request: JSON.parse(request),
  response: JSON.parse(response.replace(LEFT_OUT, '{}')),
}))

/** The text on verify-bulk refers to two other endpoints. */
const names = ENDPOINT_LIST.map(({ name }) => name).filter(name => name !== 'verify-bulk')
t.same(examples.map(({ name }) => name).sort(), names.sort())

for (const { name, request, response } of examples) {
  t.test(name, async t => {
    const { status, json } = await post(baseUrl, `/api/${name}`, { ...request, apiKey: key })
    t.equal(status, 200)
    t.same(shapeOf(json), shapeOf(response))
  })
}
