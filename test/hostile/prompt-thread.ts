/** A server thread that delays no answer: many bodies of these tests have a damaged key. */
import '../../src/http/threads/server-thread.ts'
import { ProcessCounts } from '../../src/http/counts.ts'

ProcessCounts.prototype.countFailure = () => 0
