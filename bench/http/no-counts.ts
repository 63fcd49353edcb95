/** Loaded before a server of the question `observe`, in each of its threads: requests are not counted for metrics. */
import { ThreadCounts } from '../../src/http/shared/thread-counts.ts'

const nothing = () => {}
ThreadCounts.prototype.answered = nothing
ThreadCounts.prototype.took = nothing
ThreadCounts.prototype.refused = nothing
