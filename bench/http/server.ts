/** One server of the comparison, in its own process. */
import { Child } from '../child.ts'
import { type EndpointName, freePort, PATHS, type Setup, type Started } from './setup.ts'

export const SERVERS = {
  postrie: 'postrie',
  bare: 'uWebSockets.js, constant answer',
  strings: 'same pipeline with JSON.parse',
  fastify: 'Fastify with a Map',
  express: 'Express with SQLite',
} as const
export type ServerName = keyof typeof SERVERS

export class Server {
  readonly child: Child
  readonly port: number
  readonly apiKey: string
  /** Address of the dashboard with its token; '' for a server without one. */
  readonly entrance: string

  private constructor(child: Child, port: number, { apiKey, entrance }: Started) {
    this.child = child
    this.port = port
    this.apiKey = apiKey
    this.entrance = entrance ?? ''
  }

  static async start(name: ServerName | 'steps', setup: Omit<Setup, 'port'>): Promise<Server> {
    const child = new Child('./http/server-child.ts', [name], [])
    const port = await freePort()
    return new Server(child, port, await child.call<Started>('start', { ...setup, port }))
  }

  url(endpoint: EndpointName): string {
    return `http://127.0.0.1:${this.port}${PATHS[endpoint]}`
  }

  /** Answers one body, in which `@KEY@` stands for the key. */
  async post(endpoint: EndpointName, body: string): Promise<Response> {
    return await fetch(this.url(endpoint), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: body.replace('@KEY@', this.apiKey),
    })
  }

  end(): Promise<void> {
    return this.child.end()
  }
}
