/** Everything that is done with each answer besides sending and counting it. */
import type { AnswerHeader } from '../settings/settings.ts'
import { type ActivityBatch, ActivityWriter } from './activity/activity-writer.ts'
import { AnswerHeads } from './answer-heads.ts'
import type { RequestTracer } from './tracing.ts'

/** By structured clone, for a server thread. */
export interface ObserverSettings {
  answerHeaders: readonly AnswerHeader[]
  corsOrigins: readonly string[]
  /** Share of requests that are traced; 0: none, and no code for it is loaded. */
  traceShare: number
  keepsRequests: boolean
}

export interface Observers {
  readonly heads: AnswerHeads
  readonly activity?: ActivityWriter
  readonly tracer?: RequestTracer
}

/** Observers that add nothing to an answer and keep nothing of it. */
export function noObservers(): Observers {
  return { heads: new AnswerHeads([]) }
}

export async function openObservers(
  { answerHeaders, corsOrigins, traceShare, keepsRequests }: ObserverSettings,
  send: (batch: ActivityBatch) => void,
): Promise<Observers> {
  const heads = new AnswerHeads(answerHeaders, corsOrigins)
  const activity = new ActivityWriter(keepsRequests, send)
  if (traceShare === 0) return { heads, activity }
  const { RequestTracer } = await import('./tracing.ts')
  return { heads, activity, tracer: new RequestTracer(traceShare) }
}
