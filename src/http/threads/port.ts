/** Ports that the threads of one server share. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * Checks that nobody listens on a port. The kernel would let a second server of the same user share the port of threads, and give it
 * half of the connections.
 * @throws Error when it is taken or `host` is not an address of this machine
 */
export async function expectFreePort(host: string, port: number): Promise<void> {
  await closed(await probe(host, port))
}

/** Returns a port of `host` that nobody listens on. @throws Error when `host` is not an address of this machine */
export async function freePort(host: string): Promise<number> {
  const server = await probe(host, 0)
  const address = server.address()
  await closed(server)
  if (address === null || typeof address === 'string') throw portTaken(host, 0)
  return address.port
}

/** Its `code` is `CANNOT_LISTEN`: uWebSockets.js does not say why, and whoever reports it asks the system. */
export function portTaken(host: string, port: number): Error {
  const message = `cannot listen on ${host}:${port}: it is taken or not an address of this machine; set HOST or PORT`
  return Object.assign(new Error(message), { code: 'CANNOT_LISTEN' })
}

async function probe(host: string, port: number): Promise<Server> {
  const server = createServer(socket => socket.destroy())
  try {
    await once(server.listen({ host, port, exclusive: true }), 'listening')
    return server
  } catch {
    throw portTaken(host, port)
  }
}

async function closed(server: Server): Promise<void> {
  await new Promise(resolve => server.close(resolve))
}
