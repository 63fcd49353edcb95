/** Rivals of postrie: a bare handler, Fastify with a `Map`, Express with SQLite. */
import uws from 'uWebSockets.js'
import { openIndex } from '../../src/postal/library/node.ts'
import { loadPackage } from '../packages.ts'
import { lookupService } from './lookup.ts'
import { mapStore, sqliteStore } from './records.ts'

export interface RivalSetup {
  name: RivalName
  port: number
  indexFile: string
  /** Bytes of the bare handler's answer: as long as postrie's. */
  answerBytes: number
}

export const RIVALS = {
  bare: { title: 'uWebSockets.js, constant answer', start: startBare },
  fastify: { title: 'Fastify with a Map', start: startFastify },
  express: { title: 'Express with SQLite', start: startExpress },
} as const
export type RivalName = keyof typeof RIVALS

const PATH = '/api/lookup'
const HOST = '127.0.0.1'

/** Starts the upper bound: it reads the body and sends a constant. */
async function startBare({ port, answerBytes }: RivalSetup): Promise<void> {
  const constant = Buffer.alloc(answerBytes, 'x')
  const app = uws.App().get('/healthz', res => void res.end('{}'))
  app.post(PATH, res => {
    res.onAborted(() => {})
    res.onData((_chunk, isLast) => {
      if (isLast) res.writeHeader('Content-Type', 'application/json').end(constant)
    })
  })
  await new Promise<void>((resolve, reject) =>
    app.listen(HOST, port, socket => (socket ? resolve() : reject(new Error(`port ${port} is taken`)))),
  )
}

type Body = Readonly<Record<string, unknown>>

interface FastifyReply {
  code(status: number): FastifyReply
  send(body: object): FastifyReply
}
interface FastifyApp {
  get(path: string, handler: () => Promise<object>): void
  post(
    path: string,
    options: object,
    handler: (request: { body: Body }, reply: FastifyReply) => FastifyReply,
  ): void
  listen(options: object): Promise<string>
}

const TEXT = { type: 'string' }
const NUMBER = { type: 'number' }
const objectSchema = (properties: object) => ({ type: 'object', properties })
const LIMIT_WINDOW = objectSchema({
  limit: { type: ['number', 'null'] },
  current: { type: ['number', 'null'] },
  approachingLimit: { type: 'boolean' },
})
const LOOKUP_SCHEMA = objectSchema({
  city: TEXT,
  state: TEXT,
  ST: TEXT,
  latitude: NUMBER,
  longitude: NUMBER,
  performance: objectSchema({
    authTime: TEXT,
    rateLimitCheckTime: TEXT,
    balanceTime: TEXT,
    processingTime: TEXT,
    totalTime: TEXT,
  }),
  rateLimit: objectSchema({
    enabled: { type: 'boolean' },
    perMinute: LIMIT_WINDOW,
    perHour: LIMIT_WINDOW,
    perDay: LIMIT_WINDOW,
  }),
  balance: NUMBER,
})

/** Starts Fastify without a logger. Answers use a compiled schema, which is faster than JSON.stringify. */
async function startFastify({ port, indexFile }: RivalSetup): Promise<void> {
  const app = loadPackage<(options: object) => FastifyApp>('fastify')({ logger: false })
  const lookup = lookupService(mapStore(openIndex(indexFile)))
  app.get('/healthz', async () => ({}))
  app.post(PATH, { schema: { response: { 200: LOOKUP_SCHEMA } } }, (request, reply) => {
    const { status, body } = lookup(request.body)
    return reply.code(status).send(body)
  })
  await app.listen({ port, host: HOST })
}

interface ExpressResponse {
  status(status: number): ExpressResponse
  json(body: object): void
}
interface ExpressApp {
  disable(setting: string): void
  use(middleware: unknown): void
  get(path: string, handler: (req: unknown, res: ExpressResponse) => void): void
  post(path: string, handler: (req: { body: Body }, res: ExpressResponse) => void): void
  listen(port: number, host: string, done: (error?: Error) => void): void
}
interface Express {
  (): ExpressApp
  json(options: object): unknown
}

/** Starts Express with only the body parser, and without entity tags, which would hash every answer. */
async function startExpress({ port, indexFile }: RivalSetup): Promise<void> {
  process.env.NODE_ENV = 'production'
  const express = loadPackage<Express>('express')
  const lookup = lookupService(sqliteStore(openIndex(indexFile), indexFile))
  const app = express()
  for (const setting of ['etag', 'x-powered-by']) app.disable(setting)
  app.use(express.json({ limit: '1mb' }))
  app.get('/healthz', (_req, res) => res.json({}))
  app.post(PATH, (req, res) => {
    const { status, body } = lookup(req.body)
    res.status(status).json(body)
  })
  await new Promise<void>((resolve, reject) =>
    app.listen(port, HOST, error => (error ? reject(error) : resolve())),
  )
}
