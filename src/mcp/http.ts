/** The MCP server over HTTP: one request, one answer, no sessions. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { CodeSource } from '../endpoints/source.ts'
import { MCP_BODY_BYTES_MAX, MCP_REQUEST_MS_MAX } from '../limits.ts'
import { createMcpServer } from './tools.ts'

export interface McpHttpOptions {
  host: string
  port: number
  /** Secret that callers send as `Authorization: Bearer …`; undefined: none, for this machine alone. */
  token: string | undefined
  version: string
}

const PATH = '/mcp'
const CANCELLED = 'notifications/cancelled'
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** Listens for agents. @throws the system's error when the address cannot be listened on */
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
  // Some targets, such as `//`, are no addresses.
  const address = URL.parse(request.url ?? '/', 'http://localhost')
  if (address?.pathname !== PATH) return refuse(response, 404, `Not found: agents ask ${PATH}`)
  // Without a token, a page in a browser must not reach this server through a name that leads here.
  if (token === undefined && !isLocal(request))
    return refuse(response, 403, 'Forbidden: ask as 127.0.0.1 or localhost, or set a token')
  if (token !== undefined && !isBearer(request.headers.authorization, token))
    return refuse(
      response.setHeader('WWW-Authenticate', 'Bearer'),
      401,
      'Unauthorized: send the token as `Authorization: Bearer <token>`',
    )
  if (request.method !== 'POST') return refuse(response.setHeader('Allow', 'POST'), 405, 'Method not allowed')
  const body = await boundedBody(request)
  if (body === undefined)
    return refuse(response.setHeader('Connection', 'close'), 413, 'Request body too large')
  const message = parsed(body)
  if (message === undefined) return refuse(response, 400, 'Invalid JSON body')
  const asked = withoutCancellations(message)
  if (asked === undefined) return void response.writeHead(202).end()
  const server = createMcpServer(source, version)
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  })
  response.once('close', () => void server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response, asked)
}

function isLocal({ headers }: IncomingMessage): boolean {
  if (!LOOPBACK.test(headers.host ?? '')) return false
  const { origin } = headers
  return origin === undefined || (URL.canParse(origin) && LOOPBACK.test(new URL(origin).host))
}

/** Compares hashes, whose time says nothing of the token. */
function isBearer(header: string | undefined, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(header ?? ''), hash(`Bearer ${token}`))
}

async function boundedBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > MCP_BODY_BYTES_MAX) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/**
 * Removes cancellations from a message; undefined when nothing is left. A batch that cancels one of its own requests would wait for ever
 * for that answer, and requests of other messages cannot be cancelled, because there are no sessions.
 */
function withoutCancellations(message: unknown): unknown {
  if (!Array.isArray(message)) return message
  const kept = message.filter(one => (one as { method?: unknown } | null)?.method !== CANCELLED)
  return kept.length === 0 && message.length > 0 ? undefined : kept
}

function refuse(response: ServerResponse, status: number, error: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error }))
}
