/** The MCP server over HTTP, without sessions. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { CodeSource } from '../code-source.ts'
import { createMcpServer } from './tools.ts'

/** Maximum bytes of an agent's request to `postrie mcp --http`. */
const MCP_BODY_BYTES_MAX = 256 * 1024
/** Time in which such a request must arrive. */
const MCP_REQUEST_MS_MAX = 30_000

interface McpHttpOptions {
  host: string
  port: number
  /** Secret that agents send as `Authorization: Bearer …`; undefined if only this machine may ask. */
  token: string | undefined
  version: string
}

const PATH = '/mcp'
const CANCELLED = 'notifications/cancelled'
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** Listens for agents. @throws the system's error if it cannot listen on the address */
export async function serveMcp(source: CodeSource, options: McpHttpOptions): Promise<Server> {
  const server = createServer({ requestTimeout: MCP_REQUEST_MS_MAX }, (request, response) => {
    answer(source, options, request, response).catch((error: unknown) => {
      console.error(`postrie: ${error instanceof Error ? error.message : error}`)
      if (!response.headersSent) refuse(response, 500, 'Internal server error')
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  return server
}

async function answer(
  source: CodeSource,
  { token, version }: McpHttpOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Some targets, such as `//`, do not parse.
  const address = URL.parse(request.url ?? '/', 'http://localhost')
  if (address?.pathname !== PATH) return refuse(response, 404, `Not found: use ${PATH}`)
  // Without a token, a web page must not reach this server through a name that resolves to it.
  if (token === undefined && !isLocal(request))
    return refuse(response, 403, 'Forbidden: use 127.0.0.1 or localhost, or set a token')
  if (token !== undefined && !isBearer(request.headers.authorization, token))
    return refuse(
      response.setHeader('WWW-Authenticate', 'Bearer'),
      401,
      'Unauthorized: send the token as `Authorization: Bearer <token>`',
    )
  if (request.method !== 'POST') return refuse(response.setHeader('Allow', 'POST'), 405, 'Method not allowed')
  const body = await readBody(request)
  if (body === undefined)
    return refuse(response.setHeader('Connection', 'close'), 413, 'Request body too large')
  const message = parseJson(body)
  if (message === undefined) return refuse(response, 400, 'Invalid JSON body')
  const requests = withoutCancellations(message)
  if (requests === undefined) return void response.writeHead(202).end()
  const server = createMcpServer(source, version)
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  })
  response.once('close', () => void server.close())
  await server.connect(transport)
  const headers = new Headers()
  for (const [name, values] of Object.entries(request.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  const asked = new Request(address, { method: 'POST', headers })
  const found = await transport.handleRequest(asked, { parsedBody: requests })
  response.writeHead(found.status, Object.fromEntries(found.headers)).end(await found.text())
}

function isLocal({ headers }: IncomingMessage): boolean {
  if (!LOOPBACK.test(headers.host ?? '')) return false
  const { origin } = headers
  return origin === undefined || (URL.canParse(origin) && LOOPBACK.test(new URL(origin).host))
}

/** Compares hashes, so that the time reveals nothing about the token. */
function isBearer(header: string | undefined, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(header ?? ''), hash(`Bearer ${token}`))
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > MCP_BODY_BYTES_MAX) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Removes cancellations: a batch that cancels its own request would never be answered. */
function withoutCancellations(message: unknown): unknown {
  if (!Array.isArray(message)) return message
  const kept = message.filter(one => (one as { method?: unknown } | null)?.method !== CANCELLED)
  return kept.length === 0 && message.length > 0 ? undefined : kept
}

function refuse(response: ServerResponse, status: number, error: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error }))
}
