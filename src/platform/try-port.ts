import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Listens for a moment. Returns the port, a free one for 0. @throws the system's error if it is taken */
export async function tryPort(host: string, port: number): Promise<number> {
  const server = createServer(socket => socket.destroy())
  await once(server.listen({ host, port, exclusive: true }), 'listening')
  const address = server.address() as AddressInfo
  await once(server.close(), 'close')
  return address.port
}
