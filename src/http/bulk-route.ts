/** The routes of batches, whose answers may come later than their bodies. */
import type { HttpResponse, TemplatedApp } from 'uWebSockets.js'
import { answerBulk, type FirstSight, firstSightOf, refuseBatch } from '../api/endpoints/bulk.ts'
import { surveyBatch } from '../api/request/batch-survey.ts'
import { surveyPacked } from '../api/request/packed-survey.ts'
import type { BatchKind } from '../bulk/bulk-result.ts'
import type { BulkPool } from '../bulk/pool.ts'
import { BULK_BODY_BYTES_MAX, BULK_THRESHOLD_BYTES, SURVEY_PIECE_BYTES } from '../limits.ts'
import type { BodyReader, BodyReceiver } from './body.ts'
import { failBusy } from './busy.ts'
import { endpointAt } from './counted.ts'
import { countTarget, isFramed, keepUnusual } from './framing.ts'
import { hasPackedBody, jsonBody, wantsPacked } from './packed.ts'
import type { Replies } from './reply.ts'
import { ignoreAbort } from './send.ts'
import { SurveyTurns } from './survey-turns.ts'
import type { TurnTask, TurnWork } from './turn-work.ts'

export const BULK_PATHS: Readonly<Record<string, BatchKind>> = {
  '/api/validate-bulk': 'validate',
  '/api/lookup-bulk': 'lookup',
}

const NO_BODY = new Uint8Array(0)

/**
 * A batch whose answer comes in a later turn of the event loop. Its connection is not paused until then, although requests that
 * are sent after it would then wait instead of ending the connection: a paused connection does not report that its client has
 * left, who would be charged for an answer that nobody reads. Nor would it help a request in the same packet, which
 * uWebSockets.js parses in any case.
 */
class WaitingBatch {
  readonly res: HttpResponse
  readonly startedMs: number
  isAborted = false

  constructor(res: HttpResponse, startedMs: number) {
    this.res = res
    this.startedMs = startedMs
    res.onAborted(() => {
      this.isAborted = true
    })
  }
}

/** Adds the routes of `BULK_PATHS`. */
export function addBulkRoutes(
  app: TemplatedApp,
  bodies: BodyReader,
  replies: Replies,
  bulk: BulkPool,
  turns: TurnWork,
): void {
  const surveys = new SurveyTurns()
  for (const [path, kind] of Object.entries(BULK_PATHS))
    addBulkRoute(app, bodies, replies, bulk, turns, surveys, path, kind)
}

function addBulkRoute(
  app: TemplatedApp,
  bodies: BodyReader,
  replies: Replies,
  bulk: BulkPool,
  turns: TurnWork,
  surveys: SurveyTurns,
  path: string,
  kind: BatchKind,
): void {
  const { request, unsent } = replies
  const endpoint = endpointAt(path)
  const answerNow = (body: Uint8Array, startedMs: number) =>
    answerBulk(request, bulk.validateNow(body, kind), startedMs, kind)

  /** Has a worker validate `body`, which is moved there. */
  const validateLater = async (batch: WaitingBatch, body: Uint8Array<ArrayBuffer>) => {
    const { res, startedMs } = batch
    const forms = { isBodyPacked: hasPackedBody(res), isAnswerPacked: wantsPacked(res) }
    const sentMs = performance.now()
    const outcome = await bulk
      .validateLater(body, kind, forms)
      .catch((error: unknown) => ({ failure: error }))
    const doneMs = performance.now()
    const answerOrThrow = () => {
      if ('failure' in outcome) throw outcome.failure
      answerBulk(request, outcome, startedMs, kind)
      request.bulkStartedMs = sentMs
      request.bulkEndedMs = doneMs
    }
    // Nobody is charged for an answer that cannot be delivered.
    if (!batch.isAborted) await replies.later(res, answerOrThrow, NO_BODY, endpoint)
    // What the socket has not taken yet, uWebSockets.js has copied.
    if (!('failure' in outcome)) bulk.reuse(outcome)
  }

  const surveyLater = async (
    batch: WaitingBatch,
    body: Uint8Array<ArrayBuffer>,
    sight: FirstSight,
  ): Promise<void> => {
    const { res, startedMs } = batch
    const survey = await surveys.survey(body, sight === 'customer', () => batch.isAborted)
    if (batch.isAborted) return
    const refuse = () => refuseBatch(request, body, startedMs, survey, false, kind)
    const outcome = replies.laterIf(res, refuse, body, endpoint, () => surveyLater(batch, body, sight))
    if (outcome !== false) await outcome
    else if (bulk.isImmediate(body.length))
      await replies.later(res, bytes => answerNow(bytes, startedMs), body, endpoint)
    else if (bulk.full) await replies.later(res, () => failBusy(replies, startedMs), body, endpoint)
    else await validateLater(batch, body)
  }

  const answerLarge = (res: HttpResponse, body: Uint8Array, startedMs: number) => {
    const isPacked = hasPackedBody(res)
    const sight = isPacked ? 'stranger' : firstSightOf(request, body)
    const isQuick = isPacked || body.length <= SURVEY_PIECE_BYTES
    const refuse = () => {
      const survey = isPacked ? surveyPacked(body) : surveyBatch(body)
      return refuseBatch(request, body, startedMs, survey, isPacked, kind)
    }
    const isWelcome = sight === 'welcome' || isQuick
    const again = (kept: Uint8Array) => answerLarge(res, kept, startedMs)
    if (sight !== 'welcome' && isQuick && replies.nowIf(res, refuse, body, endpoint, again)) return
    if (isWelcome && bulk.isImmediate(body.length)) {
      const json = jsonBody(res, body, BULK_BODY_BYTES_MAX)
      replies.now(res, bytes => answerNow(bytes, startedMs), json, endpoint)
    } else if (!replies.positions.mayWait || (isWelcome ? bulk.full : surveys.isFull(sight === 'customer'))) {
      replies.now(res, () => failBusy(replies, startedMs), body, endpoint)
    } else {
      const batch = new WaitingBatch(res, startedMs)
      // A copy, because uWebSockets.js takes its own bytes back.
      const copy = new Uint8Array(body)
      replies.await(isWelcome ? validateLater(batch, copy) : surveyLater(batch, copy, sight))
    }
  }

  app.post(path, (res, req) => {
    unsent.begun()
    if (!isFramed(req)) return replies.refusals.framing(res)
    keepUnusual(res)
    countTarget(req)
    const startedMs = performance.now()
    const answerSmall: TurnTask = (_res, received, isNow) => {
      const body = jsonBody(res, received, BULK_BODY_BYTES_MAX)
      const reply = isNow ? replies.now : replies.later
      reply(res, bytes => answerNow(bytes, startedMs), body, endpoint)
    }
    const done: BodyReceiver['done'] = (_res, received) => {
      if (received.length >= BULK_THRESHOLD_BYTES) answerLarge(res, received, startedMs)
      else turns.run(res, received, endpoint, answerSmall)
    }
    res.onAborted(ignoreAbort)
    bodies.read(res, {
      bytesMax: BULK_BODY_BYTES_MAX,
      done,
      tooLarge: (response, isRead) => replies.refusals.large(response, isRead, endpoint),
      crowdedOut: response => replies.refusals.crowded(response, endpoint),
    })
  })
}
