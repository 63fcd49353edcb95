/** Makes spans of requests for OpenTelemetry, after the work. An SDK loaded with `--import` sends them. */
import {
  isValidSpanId,
  isValidTraceId,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { SECOND_MS } from '../../platform/time.ts'
import type { ApiRequest } from '../api/request.ts'
import { countryOf } from './activity/activity-writer.ts'
import { ENDPOINT_LABELS } from './labels.ts'
import type { RequestNotes } from './request-head.ts'

/** Maximum number of traces a second that clients may ask for by `traceparent`, on one thread. */
const TRACES_ASKED_PER_SECOND_MAX = 100

/**
 * Version, id of the trace, id of the parent, flags; at most 128 characters. Only later versions may add more.
 * OpenTelemetry's own parser is in its SDKs: one that only sends spans need not have it.
 */
const TRACEPARENT = /^(?!ff|00.{54})[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.{0,72})?$/

const NAMES = ENDPOINT_LABELS.map(endpoint => `POST /api/${endpoint}`)

export type RequestTracer = ReturnType<typeof requestTracer>

/** Returns a function that traces requests. @param share share of the requests traced at random, 0 to 1 */
export function requestTracer(share: number) {
  const tracer = trace.getTracer('postrie')
  let asked = 0
  let presentSecond = 0

  /** Counts a trace that a client asks for. Returns false above the bound. */
  const admitAsked = (nowMs: number): boolean => {
    const second = Math.floor(nowMs / SECOND_MS)
    if (second !== presentSecond) {
      presentSecond = second
      asked = 0
    }
    return asked++ < TRACES_ASKED_PER_SECOND_MAX
  }

  /** Makes the span of the answer in `request` if its client asks for it, or by chance. */
  return (request: ApiRequest, endpointNumber: number, notes: RequestNotes | undefined): void => {
    const parent = notes?.traceparent === undefined ? undefined : parseTraceparent(notes.traceparent)
    const isAsked = parent !== undefined && (parent.traceFlags & 1) === 1 && admitAsked(request.endedMs)
    // A client that declines a trace is not traced by chance.
    const isChosen = parent === undefined && Math.random() < share
    if (!isAsked && !isChosen) return
    const { startedMs, endedMs, status, key, chargedQueries } = request
    const country = countryOf(request, endpointNumber)
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
    const startTime = wallMs(startedMs)
    const attributes = {
      'http.request.method': 'POST',
      'http.route': `/api/${ENDPOINT_LABELS[endpointNumber]}`,
      'http.response.status_code': status,
      'postrie.queries': chargedQueries,
      ...(key === undefined ? {} : { 'postrie.key': key.slot }),
      ...(country === '' ? {} : { 'postrie.country': country }),
      ...(notes?.id === undefined ? {} : { 'postrie.request_id': notes.id }),
    }
    const span = tracer.startSpan(
      NAMES[endpointNumber],
      { kind: SpanKind.SERVER, startTime, attributes },
      context,
    )
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    const { workerStartedMs, workerEndedMs } = request
    if (workerEndedMs > 0) {
      const inside = trace.setSpan(context, span)
      const child = tracer.startSpan('worker', { startTime: wallMs(workerStartedMs) }, inside)
      child.end(wallMs(workerEndedMs))
    }
    span.end(wallMs(endedMs))
  }
}

function wallMs(monotonicMs: number): number {
  return performance.timeOrigin + monotonicMs
}

/** Returns the parent in the header `traceparent` of W3C Trace Context; undefined if it is malformed. */
export function parseTraceparent(text: string): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? []
  if (!isValidTraceId(traceId) || !isValidSpanId(spanId)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
}
