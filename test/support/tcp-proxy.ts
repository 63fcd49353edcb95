/** A network between two programs that can be cut: without a word, or with a reset. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export class TcpProxy {
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #isCut = false

  private constructor(server: Server) {
    this.#server = server
  }

  /** Listens on a free port of 127.0.0.1 and forwards to `port` of it. */
  static async to(port: number): Promise<TcpProxy> {
    const server = createServer()
    const proxy = new TcpProxy(server)
    server.on('connection', near => proxy.#join(near, port))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get connections(): number {
    return this.#pairs.size
  }

  /** From now on nothing is forwarded in either direction, and nobody is notified: neither old connections nor new ones. */
  cut(): void {
    this.#isCut = true
    for (const pair of this.#pairs) for (const socket of pair) socket.pause()
  }

  /** New connections work again, and old ones go on, with what waited. */
  heal(): void {
    this.#isCut = false
    for (const pair of this.#pairs) for (const socket of pair) socket.resume()
  }

  /** Ends all connections with a reset. */
  reset(): void {
    for (const [near, far] of this.#pairs) {
      near.resetAndDestroy()
      far.resetAndDestroy()
    }
  }

  async close(): Promise<void> {
    this.reset()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(near: Socket, port: number): void {
    const far = connect(port, '127.0.0.1')
    const pair = [near, far] as const
    this.#pairs.add(pair)
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', bytes => to.write(bytes))
      from.on('end', () => to.end())
      from.on('error', () => to.destroy())
      from.on('close', () => {
        to.destroy()
        this.#pairs.delete(pair)
      })
      if (this.#isCut) from.pause()
    }
  }
}
