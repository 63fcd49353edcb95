/** Address of a server on this machine. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Returns a URL for a client. The any-address becomes loopback, IPv6 gets brackets. */
export function clientUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** Listens for a moment. Returns the port, a free one for 0. @throws the system's error if it is taken */
export async function tryPort(host: string, port: number): Promise<number> {
  const server = createServer(socket => socket.destroy())
  await once(server.listen({ host, port, exclusive: true }), 'listening')
  const address = server.address() as AddressInfo
  await once(server.close(), 'close')
  return address.port
}
