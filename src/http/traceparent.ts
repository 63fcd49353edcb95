import { isValidSpanId, isValidTraceId, type SpanContext } from '@opentelemetry/api'

/** Version, id of the trace, id of the parent, flags: what later versions add after that is ignored. */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/
const LENGTH_MAX = 128
const FORBIDDEN_VERSION = 'ff'

/** The parent that the header `traceparent` names, as W3C Trace Context has it; undefined when it is malformed. */
export function parseTraceparent(text: string): SpanContext | undefined {
  if (text.length > LENGTH_MAX) return undefined
  const match = TRACEPARENT.exec(text)
  if (match === null) return undefined
  const [, version, traceId, spanId, flags, rest] = match
  if (version === FORBIDDEN_VERSION || (version === '00' && rest !== undefined)) return undefined
  if (!isValidTraceId(traceId) || !isValidSpanId(spanId)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
}
