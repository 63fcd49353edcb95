/** A proxy between two processes that can fall silent, delay, and break connections. */
import { connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'
import { listenUntilEnd } from './listening.ts'

export class TcpProxy {
  port = 0
  /** Port of this machine that gets new connections. */
  target: number
  readonly #pairs = new Set<[Socket, Socket]>()
  #isSilent = false
  #delayMs = 0

  private constructor(target: number) {
    this.target = target
  }

  /** Opens a proxy until the test ends. */
  static async open(t: Test, target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target)
    t.teardown(() => proxy.reset())
    proxy.port = await listenUntilEnd(
      t,
      createServer(client => proxy.#forward(client)),
    )
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
