/** A server thread that delays no answer, because many bodies have a damaged key. */
import '../../src/service/http/threads/server-thread.ts'
import { ProcessCounts } from '../../src/service/http/counts.ts'

ProcessCounts.prototype.countFailure = () => 0
