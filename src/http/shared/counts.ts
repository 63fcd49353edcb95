import { ProcessCounts } from './process-counts.ts'
import { ThreadCounts } from './thread-counts.ts'

/** What one server thread counts, and what it counts together with the others. */
export interface Counts {
  readonly thread: ThreadCounts
  readonly shared: ProcessCounts
}

/** The counts of an app that serves alone. */
export function newCounts(): Counts {
  return { thread: new ThreadCounts(), shared: new ProcessCounts() }
}
