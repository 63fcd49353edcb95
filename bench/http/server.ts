/** One server of the comparison, in its own process. */
import { Child } from '../child.ts'
import { compiledFile } from '../paths.ts'
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
  /** One key for each account of the server. */
  readonly apiKeys: readonly string[]
  /** Address of the dashboard with its token; '' for a server without one. */
  readonly entrance: string
  /** Port of the dashboard and the operator's socket; 0 and '' for a server without them. */
  readonly controlPort: number
  readonly socketFile: string

  private constructor(child: Child, port: number, started: Started) {
    this.child = child
    this.port = port
    this.apiKey = started.apiKey
    this.apiKeys = started.apiKeys ?? [started.apiKey]
    this.entrance = started.entrance ?? ''
    this.controlPort = started.controlPort ?? 0
    this.socketFile = started.socketFile ?? ''
  }

  /** @param preloaded modules of this folder, such as `http/no-counts.ts`, that each thread of the server loads first */
  static async start(
    name: ServerName | 'steps',
    setup: Omit<Setup, 'port'>,
    preloaded: readonly string[] = [],
  ): Promise<Server> {
    const options = preloaded.map(module => `--import=${compiledFile(module)}`)
    const child = new Child('./http/server-child.ts', [name], options)
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
