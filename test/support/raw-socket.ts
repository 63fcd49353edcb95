import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** A connection and its responses, for requests that no client library sends. */
export class RawSocket {
  readonly socket: Socket
  /** Signals new bytes or a closed connection. Never emits an error, which `once` would throw. */
  readonly #events = new EventEmitter()
  #received = Buffer.alloc(0)
  #closed = false

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', chunk => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#events.emit('progress')
    })
    socket.on('close', () => {
      this.#closed = true
      this.#events.emit('progress')
    })
    // A server may refuse a request and close while the client still sends.
    socket.on('error', () => {})
  }

  /** @param from source address of the connection, in 127.0.0.0/8 */
  static async open(port: number, from = '127.0.0.1'): Promise<RawSocket> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true })
    await once(socket, 'connect')
    // A socket may connect to itself on a port of the ephemeral range if no server listens there.
    if (socket.localPort === port && socket.localAddress === socket.remoteAddress) {
      socket.destroy()
      throw new Error(`nobody listens on port ${port}`)
    }
    return new RawSocket(socket)
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes)
  }

  /** Returns the next response, or undefined if the server closes before it is complete. */
  async answer(): Promise<RawAnswer | undefined> {
    for (;;) {
      const answer = this.#take()
      if (answer !== undefined || this.#closed) return answer
      await once(this.#events, 'progress')
    }
  }

  /** Resolves with the unread bytes when the server has closed the connection. */
  async closed(): Promise<string> {
    while (!this.#closed) await once(this.#events, 'progress')
    return this.#received.toString('latin1')
  }

  #take(): RawAnswer | undefined {
    const headEnd = this.#received.indexOf('\r\n\r\n')
    if (headEnd < 0) return undefined
    const [statusLine, ...lines] = this.#received.toString('latin1', 0, headEnd).split('\r\n')
    const headers = Object.fromEntries(
      lines.map(line => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    )
    const end = headEnd + 4 + Number(headers['content-length'] ?? 0)
    if (this.#received.length < end) return undefined
    const body = this.#received.toString('utf8', headEnd + 4, end)
    this.#received = this.#received.subarray(end)
    return { status: Number(statusLine.split(' ')[1]), headers, body }
  }
}

/** Writes a POST request. `headers` follow Host and replace the Content-Length. */
export function rawPost(path: string, body: string, headers?: readonly string[]): string {
  const lines = headers ?? [`Content-Length: ${Buffer.byteLength(body)}`]
  return [`POST ${path} HTTP/1.1`, 'Host: localhost', ...lines, '', body].join('\r\n')
}
