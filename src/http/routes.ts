/** The routes of the data plane. */

import uws, { type HttpRequest, type HttpResponse, type TemplatedApp } from 'uWebSockets.js'
import { randomUUID } from 'node:crypto'
import { about, balance } from '../api/endpoints/about.ts'
import { lookup } from '../api/endpoints/lookup.ts'
import { metacode } from '../api/endpoints/metacode.ts'
import { validate } from '../api/endpoints/validate.ts'
import { answer } from '../api/response/answer.ts'
import { fail } from '../api/response/respond.ts'
import { ApiRequest, type Endpoint, type Service } from '../api/service.ts'
import type { BulkPool } from '../bulk/pool.ts'
import { ERRORS } from '../errors.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { type BodyReceiver, readBody } from './body.ts'
import { addBulkRoute, BULK_PATH } from './bulk-route.ts'
import { addCityRoute, CITY_PATH } from './city-route.ts'
import { isSound } from './framing.ts'
import type { LatencySample } from './latency.ts'
import { type FixedReply, type Reply, refuseLarge, send, sendFixed } from './reply.ts'

const RECORD_ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/api/lookup': lookup,
  '/api/metacode': metacode,
  '/api/metazip': metacode,
  '/api/validate': validate,
}
const ABOUT_PATH = '/api/aboutapi'
const BALANCE_PATH = '/api/balance'
const PATHS = [...Object.keys(RECORD_ENDPOINTS), CITY_PATH, ABOUT_PATH, BALANCE_PATH, BULK_PATH]

/** Reports an unexpected error; the id is all that a client could learn of it. */
export type ReportError = (error: unknown, id: string) => void

/** An app with all routes, not listening yet. */
export function createApp(
  service: Service,
  bulk: BulkPool,
  latency: LatencySample,
  report: ReportError,
): TemplatedApp {
  const app = uws.App()
  const request = new ApiRequest(service)
  const reply: Reply = (res, work, body) => {
    try {
      work(body)
    } catch (error) {
      // An error that reached uWebSockets.js would end the process.
      report(error, randomUUID())
      request.begin(performance.now())
      fail(request, 'INTERNAL')
    }
    if (request.awaits === undefined) send(res, request)
  }
  const timed: Reply = (res, work, body) => {
    reply(res, work, body)
    latency.answered(request.startedMs)
  }
  for (const [path, endpoint] of Object.entries(RECORD_ENDPOINTS)) {
    addRecordRoute(app, path, timed, body => answer(request, endpoint, body))
  }
  addRecordRoute(app, ABOUT_PATH, reply, body => about(request, body))
  addRecordRoute(app, BALANCE_PATH, reply, body => balance(request, body))
  addCityRoute(app, request, bulk, timed)
  addBulkRoute(app, request, bulk, reply)
  addOtherRoutes(app)
  return app
}

function addRecordRoute(
  app: TemplatedApp,
  path: string,
  reply: Reply,
  work: (body: Uint8Array) => void,
): void {
  // One receiver for the route instead of a closure for each request.
  const receiver: BodyReceiver = {
    bytesMax: BODY_BYTES_MAX,
    done: (res, body) => reply(res, work, body),
    tooLarge: refuseLarge,
  }
  app.post(path, (res, req) => {
    if (!isSound(req)) return void res.close()
    res.onAborted(ignoreAbort)
    readBody(res, receiver)
  })
}

/** Nothing is under way for these routes when their client goes away: they answer within the callback. */
function ignoreAbort(): void {}

/** Warming, health, and everything that is not there. */
function addOtherRoutes(app: TemplatedApp): void {
  const always = (reply: FixedReply) => (res: HttpResponse, req: HttpRequest) =>
    isSound(req) ? sendFixed(res, reply, req.getMethod() === 'head') : void res.close()
  app.get('/api/*', always({ status: 200, body: { status: 'warm' } }))
  for (const path of ['/healthz', '/readyz']) app.get(path, always({ status: 200, body: { status: 'ok' } }))
  const notAllowed = always({
    status: 405,
    body: { error: ERRORS.METHOD_NOT_ALLOWED[1] },
    headers: { Allow: 'POST' },
  })
  for (const path of PATHS) app.any(path, notAllowed)
  app.any('/*', always({ status: 404, body: { error: ERRORS.PATH_NOT_FOUND[1] } }))
}
