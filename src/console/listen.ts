/** Starts an app on a port or a Unix socket, and stops it without cutting off replies. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server, Socket } from 'node:net'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { SHUTDOWN_GRACE_MS } from '../platform/limits.ts'

const CONTROL_HEADER_BYTES_MAX = 16 * 1024
/** Maximum time for the headers of a request to arrive. Silent connections end then. */
export const CONTROL_HEADERS_MS_MAX = 10_000
const CONTROL_REQUEST_MS_MAX = 30_000
const CHECK_MS = 1000
/** Maximum number of connections. The ledger and the API need the other file descriptors. */
export const CONTROL_CONNECTIONS_MAX = 256

interface Answering {
  fetch(request: Request, env: HttpBindings): Response | Promise<Response>
}

export interface Listening {
  readonly port: number
  /** Stops accepting, lets replies in progress finish within the grace time, then cuts the rest. */
  close(): Promise<void>
}

type ListenTarget = { host: string; port: number } | { path: string }

/** Listens on `target`. @throws Error with the system's code, such as `EADDRINUSE` or `EACCES` */
export async function listen(app: Answering, target: ListenTarget): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: (request, env) => app.fetch(request, env as HttpBindings),
    createServer,
    serverOptions: {
      maxHeaderSize: CONTROL_HEADER_BYTES_MAX,
      headersTimeout: CONTROL_HEADERS_MS_MAX,
      requestTimeout: CONTROL_REQUEST_MS_MAX,
      connectionsCheckingInterval: CHECK_MS,
    },
  }) as ReturnType<typeof createServer>
  boundConnections(server)
  // Rejects with an error of the server.
  const listening = once(server, 'listening')
  if ('path' in target) listenPrivately(server, target.path)
  else server.listen(target.port, target.host)
  await listening
  const address = server.address()
  return {
    port: typeof address === 'string' ? 0 : (address?.port ?? 0),
    close: () =>
      new Promise(resolve => {
        const cut = setTimeout(() => server.closeAllConnections(), SHUTDOWN_GRACE_MS)
        server.close(() => {
          clearTimeout(cut)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}

/** Bounds connections: a new one closes the oldest of the busiest address. No client can shut out others. */
function boundConnections(server: Server): void {
  const byAddress = new Map<string, Set<Socket>>()
  let connections = 0
  server.on('connection', socket => {
    const address = socket.remoteAddress ?? ''
    if (++connections > CONTROL_CONNECTIONS_MAX) {
      const [most] = [...byAddress.values()].sort((a, b) => b.size - a.size)
      const [oldest] = most ?? []
      oldest?.destroy()
    }
    byAddress.set(address, (byAddress.get(address) ?? new Set()).add(socket))
    socket.once('close', () => {
      connections--
      const own = byAddress.get(address)
      own?.delete(socket)
      if (own?.size === 0) byAddress.delete(address)
    })
  })
}

/** Listens on a socket with mode 0600. `listen` creates it synchronously, so the mask applies to it alone. */
function listenPrivately(server: Server, path: string): void {
  const mask = process.umask(0o177)
  try {
    server.listen(path)
  } finally {
    process.umask(mask)
  }
}
