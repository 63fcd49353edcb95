/** A proxy between two processes that can fall silent, delay, and break connections. */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

export class TcpProxy {
  readonly port: number
  /** Port of this machine that gets new connections. */
  target: number
  readonly #server: Server
  readonly #pairs = new Set<[Socket, Socket]>()
  #isSilent = false
  #delayMs = 0

  private constructor(server: Server, port: number, target: number) {
    this.#server = server
    this.port = port
    this.target = target
  }

  static async open(target: number): Promise<TcpProxy> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
    const proxy = new TcpProxy(server, address.port, target)
    server.on('connection', client => proxy.#forward(client))
    return proxy
  }

  /** Holds bytes back in both directions, and accepts connections silently. */
  silence(): void {
    this.#isSilent = true
    for (const pair of this.#pairs) for (const socket of pair) socket.pause()
  }

  delay(ms: number): void {
    this.#delayMs = ms
  }

  /** Forwards new bytes and the held ones. */
  heal(): void {
    this.#isSilent = false
    this.#delayMs = 0
    for (const pair of this.#pairs) for (const socket of pair) socket.resume()
  }

  reset(): void {
    // Node.js resets a socket only once it is connected, and would wait for that.
    for (const socket of [...this.#pairs].flat())
      if (socket.connecting) socket.destroy()
      else socket.resetAndDestroy()
  }

  async close(): Promise<void> {
    this.#server.close()
    this.reset()
    await once(this.#server, 'close')
  }

  #forward(client: Socket): void {
    const upstream = connect(this.target, '127.0.0.1')
    const pair: [Socket, Socket] = [client, upstream]
    this.#pairs.add(pair)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', bytes => {
        if (this.#delayMs > 0) setTimeout(() => to.write(bytes), this.#delayMs)
        else to.write(bytes)
      })
      from.on('error', () => {})
      from.on('close', () => {
        to.destroy()
        this.#pairs.delete(pair)
      })
      if (this.#isSilent) from.pause()
    }
  }
}
