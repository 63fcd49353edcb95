/** What is done with each answer besides sending and counting it. */
import type { AnswerHeader } from '../settings/answer-headers.ts'
import type { ActivityMemory } from './activity/activity-memory.ts'
import { ActivityWriter } from './activity/activity-writer.ts'
import { AnswerHeaders } from './answer-headers.ts'
import type { RequestTracer } from './request-tracer.ts'

/** By structured clone, for a server thread. */
export interface ObserverSettings {
  answerHeaders: readonly AnswerHeader[]
  /** Share of requests that are traced; 0: none, and no code for it is loaded. */
  traceShare: number
  /** Of this thread. */
  activity: ActivityMemory
}

export interface Observers {
  readonly headers: AnswerHeaders
  readonly activity?: ActivityWriter
  readonly tracer?: RequestTracer
}

/** Observers that add nothing to an answer and keep nothing of it. */
export function noObservers(): Observers {
  return { headers: new AnswerHeaders([]) }
}

export async function openObservers(settings: ObserverSettings): Promise<Observers> {
  const headers = new AnswerHeaders(settings.answerHeaders)
  const activity = new ActivityWriter(settings.activity)
  if (settings.traceShare === 0) return { headers, activity }
  const { RequestTracer } = await import('./request-tracer.ts')
  return { headers, activity, tracer: new RequestTracer(settings.traceShare) }
}
