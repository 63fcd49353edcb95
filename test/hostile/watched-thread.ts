/** A server thread as the service has it, whose event loop is watched. */
import '../../src/http/threads/server-thread.ts'
import { parentPort } from 'node:worker_threads'
import { FailedKeys } from '../../src/http/failed-keys.ts'
import { ThreadCounts } from '../../src/http/shared/thread-counts.ts'
import { PauseWatch } from '../support/pauses.ts'

const pauses = new PauseWatch()

/** Beside the messages of the service, which ignores this one. */
export interface TakePauses {
  kind: 'pauses'
}

parentPort?.on('message', (message: { kind: string }) => {
  if (message.kind === 'pauses') parentPort?.postMessage({ kind: 'pauses', pauses: pauses.take() })
})

const { answered } = ThreadCounts.prototype
ThreadCounts.prototype.answered = function (endpoint: number, status: number): void {
  answered.call(this, endpoint, status)
  pauses.answered()
}

// Many a body here has a damaged key, and its answer should not be late.
FailedKeys.prototype.delay = () => false
