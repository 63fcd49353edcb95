/** The data plane: uWebSockets.js, the routes of `/api`, and nothing that is not needed for them. */

import uws, { type HttpRequest, type HttpResponse, type TemplatedApp } from 'uWebSockets.js'
import { randomUUID } from 'node:crypto'
import { about } from '../api/about.ts'
import { answer } from '../api/answer.ts'
import { answerBulk } from '../api/bulk.ts'
import { city } from '../api/city.ts'
import { lookup } from '../api/lookup.ts'
import { metacode } from '../api/metacode.ts'
import { fail } from '../api/respond.ts'
import { type Endpoint, Request, type Service } from '../api/service.ts'
import { validate } from '../api/validate.ts'
import type { BulkResult } from '../bulk/bulk-result.ts'
import type { BulkPool } from '../bulk/pool.ts'
import { ERRORS } from '../errors.ts'
import { BODY_BYTES_MAX, BULK_BODY_BYTES_MAX } from '../limits.ts'
import { readBody } from './body.ts'
import { isSound } from './framing.ts'
import { send, sendJson } from './reply.ts'

const RECORD_ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/api/lookup': lookup,
  '/api/metacode': metacode,
  '/api/metazip': metacode,
  '/api/validate': validate,
  '/api/city': city,
}
const ABOUT_PATH = '/api/aboutapi'
const BULK_PATH = '/api/validate-bulk'
const PATHS = [...Object.keys(RECORD_ENDPOINTS), ABOUT_PATH, BULK_PATH]

const nowMs = () => performance.now()
const ignoreAbort = () => {}

/** Reports an unexpected error; the id is all that the client learns of it. */
export type ReportError = (error: unknown, id: string) => void

/** The routes of the data plane on an app that does not listen yet. */
export function createApp(service: Service, bulk: BulkPool, report: ReportError): TemplatedApp {
  const app = uws.App()
  const request = new Request(service)

  /** Runs `work` and sends what it made; an unexpected error becomes a 500 and never reaches uWebSockets.js. */
  const reply = (res: HttpResponse, work: () => void) => {
    try {
      work()
    } catch (error) {
      const id = randomUUID()
      report(error, id)
      request.begin(nowMs())
      fail(request, 'INTERNAL')
    }
    send(res, request)
  }
  const refuseLarge = (res: HttpResponse) => {
    res.cork(() => sendJson(res, 413, { error: ERRORS.BODY_TOO_LARGE[1] }, { Connection: 'close' }))
  }
  const onBody = (path: string, bytesMax: number, done: (res: HttpResponse, body: Uint8Array) => void) => {
    app.post(path, (res, req) => {
      if (!isSound(req)) return void res.close()
      res.onAborted(ignoreAbort)
      readBody(
        res,
        bytesMax,
        body => done(res, body),
        () => refuseLarge(res),
      )
    })
  }

  for (const [path, endpoint] of Object.entries(RECORD_ENDPOINTS)) {
    onBody(path, BODY_BYTES_MAX, (res, body) => reply(res, () => answer(request, endpoint, body, nowMs)))
  }
  onBody(ABOUT_PATH, BODY_BYTES_MAX, (res, body) => reply(res, () => about(request, body, nowMs)))
  addBulkRoute(app, request, bulk, reply, refuseLarge)
  addOtherRoutes(app)
  return app
}

type Reply = (res: HttpResponse, work: () => void) => void

function addBulkRoute(
  app: TemplatedApp,
  request: Request,
  bulk: BulkPool,
  reply: Reply,
  refuseLarge: (res: HttpResponse) => void,
): void {
  app.post(BULK_PATH, (res, req) => {
    if (!isSound(req)) return void res.close()
    const startedMs = nowMs()
    let aborted = false
    res.onAborted(() => {
      aborted = true
    })
    const finish = (result: BulkResult) => reply(res, () => answerBulk(request, result, startedMs, nowMs))
    const done = (body: Uint8Array) => {
      if (bulk.isImmediate(body.length))
        return reply(res, () => answerBulk(request, bulk.validateNow(body), startedMs, nowMs))
      if (bulk.full) {
        return reply(res, () => {
          request.begin(startedMs)
          request.retryAfter = 1
          fail(request, 'UNAVAILABLE')
        })
      }
      bulk.validateLater(new Uint8Array(body)).then(
        result => {
          // Nobody is charged for an answer that cannot be delivered.
          if (!aborted) res.cork(() => finish(result))
        },
        error => {
          if (!aborted) {
            res.cork(() =>
              reply(res, () => {
                throw error
              }),
            )
          }
        },
      )
    }
    readBody(res, BULK_BODY_BYTES_MAX, done, () => refuseLarge(res))
  })
}

/** Warming, health, and everything that is not there. */
function addOtherRoutes(app: TemplatedApp): void {
  const guarded =
    (answerTo: (res: HttpResponse, req: HttpRequest) => void) => (res: HttpResponse, req: HttpRequest) =>
      isSound(req) ? answerTo(res, req) : void res.close()
  app.get(
    '/api/*',
    guarded(res => sendJson(res, 200, { status: 'warm' })),
  )
  app.get(
    '/healthz',
    guarded(res => sendJson(res, 200, { status: 'ok' })),
  )
  for (const path of PATHS) {
    app.any(
      path,
      guarded(res => sendJson(res, 405, { error: ERRORS.METHOD_NOT_ALLOWED[1] }, { Allow: 'POST' })),
    )
  }
  app.any(
    '/*',
    guarded(res => sendJson(res, 404, { error: ERRORS.PATH_NOT_FOUND[1] })),
  )
}
