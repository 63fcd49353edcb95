/** The route of city search: a city with very many codes is listed by a worker, so that no other request waits for it. */
import type { HttpResponse, TemplatedApp } from 'uWebSockets.js'
import type { ApiKey } from '../accounts/types.ts'
import { answerAwaited, city } from '../api/endpoints/city.ts'
import { answer } from '../api/response/answer.ts'
import { fail } from '../api/response/respond.ts'
import type { ApiRequest, AwaitedList } from '../api/service.ts'
import type { BulkPool } from '../bulk/pool.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { readBody } from './body.ts'
import { BUSY_RETRY_SECONDS } from './bulk-route.ts'
import { isSound } from './framing.ts'
import { type Reply, refuseLarge, send } from './reply.ts'

export const CITY_PATH = '/api/city'

export function addCityRoute(app: TemplatedApp, request: ApiRequest, bulk: BulkPool, reply: Reply): void {
  /** Lists that workers are making: requests for the same one share it. */
  const making = new Map<string, Promise<Uint8Array>>()

  const made = ({ name, cc, query, index }: AwaitedList): Promise<Uint8Array> => {
    const id = `${index.file.buildId} ${name}`
    const shared = making.get(id)
    if (shared !== undefined) return shared
    const list = bulk.listLater(cc, query).finally(() => making.delete(id))
    making.set(id, list)
    return list
  }

  app.post(CITY_PATH, (res, req) => {
    if (!isSound(req)) return void res.close()
    let aborted = false
    res.onAborted(() => {
      aborted = true
    })
    const replyLater = async (awaited: AwaitedList, key: ApiKey, startedMs: number) => {
      const outcome = await made(awaited).catch((error: unknown) => ({ failure: error }))
      // Nobody is charged for an answer that cannot be delivered.
      if (aborted) return
      res.cork(() =>
        reply(
          res,
          () => {
            if ('failure' in outcome) throw outcome.failure
            request.begin(startedMs)
            answerAwaited(request, awaited, key, outcome)
          },
          NO_BODY,
        ),
      )
    }
    const done = (_res: HttpResponse, body: Uint8Array) => {
      reply(res, body => answer(request, city, body), body)
      const { awaits, key, startedMs } = request
      if (awaits === undefined || key === undefined) return
      if (!bulk.full) void replyLater(awaits, key, startedMs)
      else {
        request.begin(startedMs)
        request.retryAfter = BUSY_RETRY_SECONDS
        fail(request, 'UNAVAILABLE')
        send(res, request)
      }
    }
    readBody(res, { bytesMax: BODY_BYTES_MAX, done, tooLarge: refuseLarge })
  })
}

const NO_BODY = new Uint8Array(0)
