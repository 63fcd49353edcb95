/** Tools for agents, derived from the table of endpoints. */
import { type CallToolResult, Server, type Tool } from '@modelcontextprotocol/server'
import { packageVersion } from '../../platform/package-version.ts'
import { COUNTRY_EXPECTED, countryLetters } from '../../postal/library/country-texts.ts'
import { type Endpoint, type Fault, faultText } from '../../service/endpoints/endpoint.ts'
import { flag, type JsonSchema, jsonSchema, object, optional } from '../../service/endpoints/schema.ts'
import { ENDPOINT_LIST, type EndpointName } from '../../service/endpoints/table.ts'
import type { CodeSource } from '../code-source.ts'

const VERSION = packageVersion()
/** Arguments that name a country, also in records. */
const COUNTRY_ARGUMENTS: readonly string[] = ['country', 'fromCountry', 'toCountry', 'countryCode']
/** Hints for every tool: it only reads, and repeating a call changes nothing. */
const READ_ONLY = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }

/** Creates a server that answers from `source`. */
export function createMcpServer(source: CodeSource): Server {
  const server = new Server(
    { name: 'postrie', title: 'Postal codes of the world', version: VERSION },
    { capabilities: { tools: {} } },
  )
  server.setRequestHandler('tools/list', () => ({ tools: ENDPOINT_LIST.flatMap(toolOf) }))
  server.setRequestHandler('tools/call', ({ params }) => call(source, params.name, params.arguments ?? {}))
  return server
}

function toolOf({ tool, summary, description, fields, answer }: Endpoint): Tool[] {
  if (tool === undefined) return []
  const properties = Object.entries(fields).map(([name, { schema }]) => [
    name,
    {
      ...forAgents(name, jsonSchema(schema)),
      ...(tool.defaults?.[name] === undefined ? {} : { default: tool.defaults[name] }),
    },
  ])
  const required = Object.keys(fields).filter(name => fields[name].isRequired)
  const members = Object.entries(answer).map(([name, member]) => [name, optional(member)])
  const found = object('', { found: flag('False: there is none.'), ...Object.fromEntries(members) })
  return [
    {
      name: tool.name,
      title: tool.title,
      description: `${summary}. ${description}`,
      inputSchema: { type: 'object', properties: Object.fromEntries(properties), required },
      outputSchema: jsonSchema(found) as JsonSchema & { type: 'object' },
      annotations: READ_ONLY,
    },
  ]
}

function forAgents(name: string, schema: JsonSchema): JsonSchema {
  const isCountry = COUNTRY_ARGUMENTS.includes(name)
  return isCountry ? { ...schema, description: `Country: ${COUNTRY_EXPECTED}.` } : schema
}

function withLetters(value: unknown, name = ''): unknown {
  if (typeof value === 'string' && COUNTRY_ARGUMENTS.includes(name)) return countryLetters(value) ?? value
  if (Array.isArray(value)) return value.map(each => withLetters(each))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withLetters(each, key)]))
}

function isUnread(name: string, value: unknown): boolean {
  const isGiven = typeof value === 'string' && value !== ''
  return isGiven && COUNTRY_ARGUMENTS.includes(name) && countryLetters(value) === undefined
}

async function call(source: CodeSource, name: string, args: object): Promise<CallToolResult> {
  const endpoint = ENDPOINT_LIST.find(({ tool }) => tool?.name === name)
  if (endpoint === undefined) return problem(`There is no tool ${name}.`)
  const body = withLetters({ ...endpoint.tool?.defaults, ...args }) as object
  const unread = Object.entries(body).find(([key, value]) => isUnread(key, value))
  if (unread !== undefined)
    return problem(`${unread[0]} is ${JSON.stringify(unread[1])}: expected ${COUNTRY_EXPECTED}`)
  const fault: Fault | null = source.check(endpoint.name as EndpointName, body)
  if (fault !== null) return problem(faultText(fault))
  try {
    const found = await source.ask(endpoint.name as EndpointName, body as never)
    // Only the endpoint's members: a service adds the balance and limits.
    const members = Object.keys(endpoint.answer).map(member => [
      member,
      (found as Record<string, unknown> | undefined)?.[member],
    ])
    return answer({ found: found !== undefined, ...Object.fromEntries(members) })
  } catch (error) {
    return problem(error instanceof Error ? error.message : String(error))
  }
}

/** Returns the answer as data, and as text: some models read only text. */
function answer(value: object): CallToolResult {
  const text = JSON.stringify(value)
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
}

function problem(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
