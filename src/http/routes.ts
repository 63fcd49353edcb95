/** The routes of the data plane. */

import uws, { type HttpRequest, type HttpResponse, type TemplatedApp } from 'uWebSockets.js'
import { about, balance } from '../api/endpoints/about.ts'
import { autocomplete } from '../api/endpoints/autocomplete.ts'
import { countries, format } from '../api/endpoints/countries.ts'
import { lookup } from '../api/endpoints/lookup.ts'
import { metacode } from '../api/endpoints/metacode.ts'
import { nearest } from '../api/endpoints/nearest.ts'
import { validate } from '../api/endpoints/validate.ts'
import { answer } from '../api/response/answer.ts'
import { ApiRequest, type Endpoint, type Service } from '../api/service.ts'
import type { BulkPool } from '../bulk/pool.ts'
import { ERRORS } from '../errors.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { openApiDocument } from '../openapi/document.ts'
import { type BodyBounds, BodyReader, type BodyReceiver } from './body.ts'
import { addBulkRoutes, BULK_PATHS } from './bulk-route.ts'
import { addCityRoute, CITY_PATH } from './city-route.ts'
import { Clients } from './clients.ts'
import type { Connections } from './connections.ts'
import { endpointAt, OTHER } from './counted.ts'
import { countTarget, isFramed, keepUnusual } from './framing.ts'
import { noObservers, type Observers } from './observers.ts'
import { jsonBody } from './packed.ts'
import { ReadPositions } from './read-positions.ts'
import { Replies, type ReportError } from './reply.ts'
import { type FixedReply, ignoreAbort } from './send.ts'
import { type Counts, newCounts } from './shared/counts.ts'
import { type TurnTask, TurnWork } from './turn-work.ts'

const RECORD_ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/api/lookup': lookup,
  '/api/metacode': metacode,
  '/api/metazip': metacode,
  '/api/validate': validate,
  '/api/nearest': nearest,
  '/api/autocomplete': autocomplete,
  '/api/countries': countries,
  '/api/format': format,
}
/** Those that take a hundred times as long as a look-up where there is much to find. */
const SEARCH_PATHS: ReadonlySet<string> = new Set(['/api/nearest', '/api/autocomplete'])
const ABOUT_PATH = '/api/aboutapi'
const BALANCE_PATH = '/api/balance'
const PATHS = [
  ...Object.keys(RECORD_ENDPOINTS),
  CITY_PATH,
  ABOUT_PATH,
  BALANCE_PATH,
  ...Object.keys(BULK_PATHS),
]

export interface AppParts {
  service: Service
  bulk: BulkPool
  connections: Connections
  report: ReportError
  /** Why the service should get no requests, in words for `/readyz`. Empty: it is ready. */
  notReady: () => readonly string[]
  /** Shared with the other threads; without it, the app counts alone. */
  counts?: Counts
  bodyBounds?: BodyBounds
  /** What is done with each answer; nothing by default. */
  observers?: Observers
  /** Whose requests proxies pass on; without it, no proxy is trusted. */
  clients?: Clients
  /** Failed keys of one address in a minute whose answers are not late. */
  keyFailuresMax?: number
  /** Milliseconds of a turn of the event loop after which batches and searches wait for the next. */
  turnMs?: number
}

/** An app with all routes, not listening yet, and what it counts. */
export interface DataApp {
  app: TemplatedApp
  bodies: BodyReader
  replies: Replies
  /** Closes every connection at once. What has been answered stays charged: it is this thread that ends its connection. */
  close(): void
}

export function createApp({ service, bulk, report, bodyBounds, ...parts }: AppParts): DataApp {
  const { connections, counts = newCounts(), observers = noObservers(), keyFailuresMax } = parts
  const { clients = new Clients() } = parts
  const app = uws.App()
  const request = new ApiRequest(service)
  const positions = new ReadPositions()
  const replies = new Replies({
    request,
    connections,
    report,
    counts,
    observers,
    positions,
    clients,
    keyFailuresMax,
  })
  const bodies = new BodyReader(counts.thread, bodyBounds, positions)
  const turns = new TurnWork(replies, parts.turnMs)
  const addRecordRoute = (path: string, work: (body: Uint8Array) => void) => {
    const endpoint = endpointAt(path)
    const isSearch = SEARCH_PATHS.has(path)
    const search: TurnTask = (res, body, isNow) => {
      const reply = isNow ? replies.now : replies.later
      reply(res, work, jsonBody(res, body, BODY_BYTES_MAX), endpoint)
    }
    // One receiver for the route instead of a closure for each request.
    const receiver: BodyReceiver = {
      bytesMax: BODY_BYTES_MAX,
      done: isSearch
        ? (res, body) => turns.run(res, body, endpoint, search)
        : (res, body) => replies.now(res, work, jsonBody(res, body, BODY_BYTES_MAX), endpoint),
      tooLarge: (res, isRead) => replies.refusals.large(res, isRead, endpoint),
      crowdedOut: res => replies.refusals.crowded(res, endpoint),
    }
    app.post(path, (res, req) => {
      replies.unsent.begun()
      if (!isFramed(req)) return replies.refusals.framing(res)
      keepUnusual(res)
      if (isSearch) countTarget(req)
      res.onAborted(ignoreAbort)
      bodies.read(res, receiver)
    })
  }
  for (const [path, endpoint] of Object.entries(RECORD_ENDPOINTS)) {
    addRecordRoute(path, body => answer(request, endpoint, body))
  }
  addRecordRoute(ABOUT_PATH, body => about(request, body))
  addRecordRoute(BALANCE_PATH, body => balance(request, body))
  addCityRoute(app, bodies, replies, bulk, turns)
  addBulkRoutes(app, bodies, replies, bulk, turns)
  addOtherRoutes(app, replies, parts.notReady)
  followConnections(app, replies, connections, clients)
  const close = () => {
    replies.unsent.settle()
    app.close()
  }
  return { app, bodies, replies, close }
}

/** Warming, health, and everything that is not there. */
function addOtherRoutes(app: TemplatedApp, replies: Replies, notReady: () => readonly string[]): void {
  const answering =
    (reply: () => FixedReply, endpoint = OTHER) =>
    (res: HttpResponse, req: HttpRequest) => {
      replies.unsent.begun()
      if (!isFramed(req)) return replies.refusals.framing(res)
      keepUnusual(res)
      replies.fixed(res, reply(), req.getMethod() === 'head', endpoint)
    }
  const always = (reply: FixedReply, endpoint?: number) => answering(() => reply, endpoint)
  app.get('/api/*', always({ status: 200, body: { status: 'warm' } }))
  // Made for the first who asks: most processes never need it.
  let document: Uint8Array | undefined
  app.get('/openapi.json', (res, req) => {
    replies.unsent.begun()
    if (!isFramed(req)) return replies.refusals.framing(res)
    keepUnusual(res)
    res.onAborted(ignoreAbort)
    document ??= Buffer.from(JSON.stringify(openApiDocument('/')))
    replies.document(res, document)
  })
  app.get('/healthz', always({ status: 200, body: { status: 'ok' } }))
  app.get(
    '/readyz',
    answering(() => {
      const reasons = notReady()
      if (reasons.length === 0) return { status: 200, body: { status: 'ok' } }
      return { status: 503, body: { status: 'unavailable', reasons } }
    }),
  )
  const notAllowed = {
    status: 405,
    body: { error: ERRORS.METHOD_NOT_ALLOWED[1] },
    headers: { Allow: 'POST' },
  }
  for (const path of PATHS) app.any(path, always(notAllowed, endpointAt(path)))
  app.any('/*', always({ status: 404, body: { error: ERRORS.PATH_NOT_FOUND[1] } }))
}

/** uWebSockets.js calls its filter when a connection has been accepted, and after it has been closed. */
function followConnections(
  app: TemplatedApp,
  { unsent }: Replies,
  connections: Connections,
  clients: Clients,
): void {
  const follow: Parameters<TemplatedApp['filter']>[0] = (res, change) => {
    if (Number(change) < 0) {
      connections.closed()
      unsent.closed(res)
      return
    }
    unsent.settle()
    if (!connections.opened(() => clients.connectionKey(res))) res.close()
  }
  app.filter(follow)
}
