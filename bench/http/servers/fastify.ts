/** Fastify over a `Map`: no logger, and responses written by its schema compiler, which is faster than JSON.stringify. */
import { openIndex } from '../../../src/index/open-index.ts'
import { load } from '../../packages.ts'
import { MapStore } from '../../stores/map-store.ts'
import { plainPayers } from '../accounts.ts'
import { PlainService } from '../plain-service.ts'
import { ENDPOINTS, type EndpointName, PATHS, type Start } from '../setup.ts'

interface FastifyReply {
  code(status: number): FastifyReply
  send(body: object): FastifyReply
}
interface FastifyApp {
  post(
    path: string,
    options: object,
    handler: (request: { body: Record<string, unknown> }, reply: FastifyReply) => FastifyReply,
  ): void
  listen(options: object): Promise<string>
}

const text = { type: 'string' }
const number = { type: 'number' }
const flag = { type: 'boolean' }
const object = (properties: object) => ({ type: 'object', properties })
const window = object({
  limit: { type: ['number', 'null'] },
  current: { type: ['number', 'null'] },
  approachingLimit: flag,
})
const rest = {
  performance: object({
    authTime: text,
    rateLimitCheckTime: text,
    balanceTime: text,
    processingTime: text,
    totalTime: text,
  }),
  rateLimit: object({ enabled: flag, perMinute: window, perHour: window, perDay: window }),
  balance: number,
}
const result = object({
  postalCode: text,
  countryCode: text,
  valid: flag,
  normalized: { type: ['string', 'null'] },
  reason: { type: ['string', 'null'] },
})

const SCHEMAS: Readonly<Record<EndpointName, object>> = {
  lookup: object({ city: text, state: text, ST: text, latitude: number, longitude: number, ...rest }),
  // Metadata has other fields for each country, so it goes through JSON.stringify.
  metacode: object({ meta: { type: 'object', additionalProperties: true }, ...rest }),
  validate: object({ valid: flag, zipcode: text, responseTime: text, ...rest }),
  city: object({ zipcodes: { type: 'array', items: text }, ...rest }),
  bulk: object({
    results: { type: 'array', items: result },
    totalCost: number,
    balance: number,
    performance: object({ totalTime: text }),
    rateLimit: object({ enabled: flag }),
  }),
}

export const startFastify: Start = async ({ indexFile, port }) => {
  const fastify = load<(options: object) => FastifyApp>('fastify')
  const { apiKey, findPayer } = plainPayers()
  const service = new PlainService(new MapStore(openIndex(indexFile)), findPayer)
  const app = fastify({ logger: false })
  for (const endpoint of ENDPOINTS) {
    const schema = { response: { 200: SCHEMAS[endpoint] } }
    app.post(PATHS[endpoint], { schema }, (request, reply) => {
      const { status, body } = service[endpoint](request.body)
      return reply.code(status).send(body)
    })
  }
  await app.listen({ port, host: '127.0.0.1' })
  return { apiKey }
}
