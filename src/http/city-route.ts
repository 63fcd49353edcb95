/** The route of city search: a city with very many codes is listed by a worker, so that no other request waits for it. */
import type { HttpResponse, TemplatedApp } from 'uWebSockets.js'
import { setImmediate } from 'node:timers/promises'
import type { ApiKey } from '../accounts/types.ts'
import { answerAwaited, city } from '../api/endpoints/city.ts'
import { answer } from '../api/response/answer.ts'
import type { AwaitedList } from '../api/service.ts'
import type { BulkPool } from '../bulk/pool.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import type { BodyReader, BodyReceiver } from './body.ts'
import { failBusy } from './busy.ts'
import { endpointAt } from './counted.ts'
import { countTarget, isFramed, keepUnusual } from './framing.ts'
import { jsonBody } from './packed.ts'
import type { Replies } from './reply.ts'
import { ignoreAbort } from './send.ts'
import type { TurnTask, TurnWork } from './turn-work.ts'

export const CITY_PATH = '/api/city'
const ENDPOINT = endpointAt(CITY_PATH)
const NO_BODY = new Uint8Array(0)

export function addCityRoute(
  app: TemplatedApp,
  bodies: BodyReader,
  replies: Replies,
  bulk: BulkPool,
  turns: TurnWork,
): void {
  const { request, unsent } = replies
  /** Lists that workers are making: requests for the same one share it. */
  const making = new Map<string, Promise<Uint8Array>>()

  /** Resolves in the turn of the event loop of the newest answer. */
  let newestTurn: Promise<unknown> = Promise.resolve()
  /** One large answer a turn, so that others are answered between those that have waited for the same list. */
  const ownTurn = (): Promise<unknown> => {
    newestTurn = newestTurn.then(() => setImmediate())
    return newestTurn
  }

  const made = ({ name, cc, query, index }: AwaitedList): Promise<Uint8Array> => {
    const id = `${index.file.buildId} ${name}`
    const shared = making.get(id)
    if (shared !== undefined) return shared
    const list = bulk.listLater(cc, query).finally(() => making.delete(id))
    making.set(id, list)
    return list
  }

  const replyLater = async (res: HttpResponse, awaited: AwaitedList, key: ApiKey, startedMs: number) => {
    let aborted = false
    res.onAborted(() => {
      aborted = true
    })
    const outcome = await made(awaited).catch((error: unknown) => ({ failure: error }))
    await ownTurn()
    const answerOrThrow = () => {
      if ('failure' in outcome) throw outcome.failure
      request.begin(startedMs)
      answerAwaited(request, awaited, key, outcome)
    }
    // Nobody is charged for an answer that cannot be delivered.
    if (aborted) return
    await replies.later(res, answerOrThrow, NO_BODY, ENDPOINT)
  }

  const work = (body: Uint8Array) => {
    answer(request, city, body)
    return request.awaits === undefined
  }
  const search: TurnTask = (res, received, isNow) =>
    reply(res, jsonBody(res, received, BODY_BYTES_MAX), isNow)
  const reply = (res: HttpResponse, body: Uint8Array, isNow: boolean): void => {
    const again = (kept: Uint8Array) => reply(res, kept, true)
    const isAnswered = isNow
      ? replies.nowIf(res, work, body, ENDPOINT, again)
      : replies.laterIf(res, work, body, ENDPOINT, async () => reply(res, body, false))
    if (isAnswered instanceof Promise) replies.await(isAnswered)
    if (isAnswered !== false) return
    const { awaits, key, startedMs } = request
    if (awaits !== undefined && key !== undefined && !bulk.full && replies.positions.mayWait) {
      replies.await(replyLater(res, awaits, key, startedMs))
      return
    }
    const refuse = () => failBusy(replies, startedMs)
    if (isNow) replies.now(res, refuse, body, ENDPOINT)
    else void replies.later(res, refuse, body, ENDPOINT)
  }
  const receiver: BodyReceiver = {
    bytesMax: BODY_BYTES_MAX,
    done: (res, received) => turns.run(res, received, ENDPOINT, search),
    tooLarge: (res, isRead) => replies.refusals.large(res, isRead, ENDPOINT),
    crowdedOut: res => replies.refusals.crowded(res, ENDPOINT),
  }
  app.post(CITY_PATH, (res, req) => {
    unsent.begun()
    if (!isFramed(req)) return replies.refusals.framing(res)
    keepUnusual(res)
    countTarget(req)
    res.onAborted(ignoreAbort)
    bodies.read(res, receiver)
  })
}
