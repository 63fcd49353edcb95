/** A server thread that delays no answer, because many bodies have a damaged key. */
import '../../src/http/threads/server-thread.ts'
import { ProcessCounts } from '../../src/http/counts.ts'

ProcessCounts.prototype.countFailure = () => 0
