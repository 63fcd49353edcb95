/** The MCP server over HTTP, without sessions. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { Hono, type HonoRequest } from 'hono'
import { bodyLimit } from 'hono/body-limit'
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
}

const PATH = '/mcp'
const CANCELLED = 'notifications/cancelled'
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** Listens for agents. @throws the system's error if it cannot listen on the address */
export async function serveMcp(source: CodeSource, options: McpHttpOptions): Promise<Server> {
  const { fetch } = mcpApp(source, options)
  const serverOptions = { requestTimeout: MCP_REQUEST_MS_MAX }
  const server = createAdaptorServer({ fetch, createServer, serverOptions }) as Server
  const listening = once(server, 'listening')
  server.listen(options.port, options.host)
  await listening
  return server
}

function mcpApp(source: CodeSource, { token }: McpHttpOptions): Hono {
  const app = new Hono()
  app.notFound(c => c.json({ error: `Not found: use ${PATH}` }, 404))
  app.onError((error, c) => {
    console.error(`postrie: ${error.message}`)
    return c.json({ error: 'Internal server error' }, 500)
  })
  app.use(PATH, async (c, next) => {
    // Without a token, a web page must not reach this server through a name that resolves to it.
    if (token === undefined && !isLocal(c.req))
      return c.json({ error: 'Forbidden: use 127.0.0.1 or localhost, or set a token' }, 403)
    if (token !== undefined && !isBearer(c.req.header('authorization'), token)) {
      const error = 'Unauthorized: send the token as `Authorization: Bearer <token>`'
      return c.json({ error }, 401, { 'WWW-Authenticate': 'Bearer' })
    }
    if (c.req.method !== 'POST') return c.json({ error: 'Method not allowed' }, 405, { Allow: 'POST' })
    return next()
  })
  const isBounded = bodyLimit({
    maxSize: MCP_BODY_BYTES_MAX,
    onError: c => c.json({ error: 'Request body too large' }, 413, { Connection: 'close' }),
  })
  app.post(PATH, isBounded, async c => {
    const message: unknown = await c.req.json().catch(() => undefined)
    if (message === undefined) return c.json({ error: 'Invalid JSON body' }, 400)
    const requests = withoutCancellations(message)
    if (requests === undefined) return c.body(null, 202)
    const server = createMcpServer(source)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    })
    await server.connect(transport)
    try {
      return await transport.handleRequest(c.req.raw, { parsedBody: requests })
    } finally {
      await server.close()
    }
  })
  return app
}

function isLocal(request: HonoRequest): boolean {
  if (!LOOPBACK.test(request.header('host') ?? '')) return false
  const origin = request.header('origin')
  return origin === undefined || (URL.canParse(origin) && LOOPBACK.test(new URL(origin).host))
}

/** Compares hashes, so that the time reveals nothing about the token. */
function isBearer(header: string | undefined, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(header ?? ''), hash(`Bearer ${token}`))
}

/** Removes cancellations: a batch that cancels its own request would never be answered. */
function withoutCancellations(message: unknown): unknown {
  if (!Array.isArray(message)) return message
  const kept = message.filter(one => (one as { method?: unknown } | null)?.method !== CANCELLED)
  return kept.length === 0 && message.length > 0 ? undefined : kept
}
