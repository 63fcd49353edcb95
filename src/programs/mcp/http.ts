/** The MCP server over HTTP, without sessions. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import { Hono, type HonoRequest } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { timingSafeEqual } from 'hono/utils/buffer'
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
  const handler = createMcpHandler(() => createMcpServer(source))
  app.use('/mcp', async (c, next) => {
    // Without a token, a web page must not reach this server through a name that resolves to it.
    if (token === undefined && !isLocal(c.req))
      return c.json({ error: 'Forbidden: use 127.0.0.1 or localhost, or set a token' }, 403)
    const sent = c.req.header('authorization') ?? ''
    if (token !== undefined && !(await timingSafeEqual(sent, `Bearer ${token}`))) {
      const error = 'Unauthorized: send the token as `Authorization: Bearer <token>`'
      return c.json({ error }, 401, { 'WWW-Authenticate': 'Bearer' })
    }
    return next()
  })
  const isBounded = bodyLimit({
    maxSize: MCP_BODY_BYTES_MAX,
    onError: c => c.json({ error: 'Request body too large' }, 413, { Connection: 'close' }),
  })
  app.all('/mcp', isBounded, c => handler.fetch(c.req.raw))
  return app
}

function isLocal(request: HonoRequest): boolean {
  return (
    validateHostHeader(request.header('host'), localhostAllowedHostnames()).ok &&
    validateOriginHeader(request.header('origin'), localhostAllowedOrigins()).ok
  )
}
