/** Starts an app on a port or a Unix socket, and ends it without cutting off a reply. */

import { createServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { SHUTDOWN_GRACE_MS } from '../../limits.ts'
import { CONTROL_CONNECTIONS_MAX, CONTROL_HEADER_BYTES_MAX, CONTROL_REQUEST_MS_MAX } from '../limits.ts'

/** Whatever answers a request: a Hono app, or a function in front of one. */
export interface Answering {
  fetch(request: Request, env: HttpBindings): Response | Promise<Response>
}

export interface Listening {
  /** The real port, 0 for a Unix socket. */
  readonly port: number
  /** Stops accepting, lets replies in progress finish within the grace time, then cuts the rest. */
  close(): Promise<void>
}

export type ListenTarget = { host: string; port: number } | { path: string }

/** @throws Error with the system's code (`EADDRINUSE`, `EACCES`) when the target cannot be listened on. */
export async function listen(app: Answering, target: ListenTarget): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: (request, env) => app.fetch(request, env as HttpBindings),
    createServer,
    serverOptions: { maxHeaderSize: CONTROL_HEADER_BYTES_MAX, requestTimeout: CONTROL_REQUEST_MS_MAX },
  }) as ReturnType<typeof createServer>
  // One more is closed at once. Those that send nothing end with the bound on a request's time.
  server.maxConnections = CONTROL_CONNECTIONS_MAX
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    const listening = () => {
      server.off('error', reject)
      resolve()
    }
    if ('path' in target) listenPrivately(server, target.path, listening)
    else server.listen(target.port, target.host, listening)
  })
  const address = server.address()
  return {
    port: isTcp(address) ? address.port : 0,
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

/** The socket is created by `listen` itself, synchronously, so the mask of this moment is the socket's mode: 0600. */
function listenPrivately(server: Server, path: string, listening: () => void): void {
  const mask = process.umask(0o177)
  try {
    server.listen(path, listening)
  } finally {
    process.umask(mask)
  }
}

function isTcp(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null
}
