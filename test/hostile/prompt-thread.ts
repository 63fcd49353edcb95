/** A server thread that delays no answer: many bodies of these tests have a damaged key. */
import '../../src/http/threads/server-thread.ts'
import { FailedKeys } from '../../src/http/failed-keys.ts'

FailedKeys.prototype.delay = () => false
