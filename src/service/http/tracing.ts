/** Makes spans of requests for OpenTelemetry, after the work. An SDK loaded with `--import` sends them. */
import { propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import type { ApiRequest } from '../api/request.ts'
import { countryOf } from './activity/activity-writer.ts'
import { ENDPOINT_LABELS } from './labels.ts'
import type { RequestNotes } from './request-head.ts'

const NAMES = ENDPOINT_LABELS.map(endpoint => `POST /api/${endpoint}`)

export type RequestTracer = ReturnType<typeof requestTracer>

/** Returns a function that traces requests. @param share share of the requests that are traced, 0 to 1 */
export function requestTracer(share: number) {
  const tracer = trace.getTracer('postrie')
  /** Makes the span of the answer in `request` by chance, in the client's trace if it names one. */
  return (request: ApiRequest, endpointNumber: number, notes: RequestNotes | undefined): void => {
    if (Math.random() >= share) return
    const context = propagation.extract(ROOT_CONTEXT, { traceparent: notes?.traceparent })
    const parent = trace.getSpanContext(context)
    // A client that does not record its trace would have no parent for the span.
    if (parent !== undefined && (parent.traceFlags & TraceFlags.SAMPLED) === 0) return
    const { startedMs, endedMs, status, key, chargedQueries } = request
    const country = countryOf(request, endpointNumber)
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
    span.end(wallMs(endedMs))
  }
}

function wallMs(monotonicMs: number): number {
  return performance.timeOrigin + monotonicMs
}
