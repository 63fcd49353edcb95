/** Clients that charge one key each as fast as the server answers, and remember the answers. */
import { connect, type Socket } from 'node:net'

/** Requests that a client sends ahead of the answers, on one connection. */
export const PIPELINED = 8

export class Client {
  /** Queries that were answered with 200, and the balance in the last such answer, in dollars. */
  charged = 0
  lastBalance: number | null = null
  /** Answers by status. */
  readonly statuses = new Map<number, number>()
  readonly #request: Buffer
  #unread = ''

  constructor(secret: string) {
    const body = JSON.stringify({ zipcode: '90210', apiKey: secret })
    this.#request = Buffer.from(
      `POST /api/validate HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  }

  /** Keeps PIPELINED requests in flight until the connection ends, which it does when the server dies. */
  flood(port: number): Promise<void> {
    return this.run(port, Number.POSITIVE_INFINITY)
  }

  /** Sends `count` requests and resolves when all are answered or the connection has ended. */
  run(port: number, count: number): Promise<void> {
    return new Promise(resolve => {
      let unsent = count
      let unanswered = 0
      const socket = connect(port, '127.0.0.1')
      const send = (requests: number): void => {
        const sent = Math.min(requests, unsent)
        unsent -= sent
        unanswered += sent
        for (let index = 0; index < sent; index++) socket.write(this.#request)
        if (unanswered === 0) socket.destroy()
      }
      socket.setNoDelay()
      socket.once('connect', () => send(PIPELINED))
      socket.on('data', bytes => {
        const answers = this.#read(bytes)
        unanswered -= answers
        send(answers)
      })
      this.#endWith(socket, resolve)
    })
  }

  #endWith(socket: Socket, resolve: () => void): void {
    // A killed server resets the connection: that is the end that tests wait for.
    socket.on('error', () => {})
    socket.once('close', resolve)
  }

  /** Notes all complete answers and returns how many there were. */
  #read(bytes: Buffer): number {
    this.#unread += bytes.toString('latin1')
    let answers = 0
    for (;;) {
      const start = this.#unread.indexOf('\r\n\r\n') + 4
      if (start < 4) return answers
      const end = start + Number(/\r\nContent-Length: (\d+)/i.exec(this.#unread)?.[1])
      if (this.#unread.length < end) return answers
      this.#note(Number(this.#unread.slice(9, 12)), this.#unread.slice(start, end))
      this.#unread = this.#unread.slice(end)
      answers++
    }
  }

  #note(status: number, body: string): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (status !== 200) return
    this.charged++
    this.lastBalance = JSON.parse(body).balance
  }
}
