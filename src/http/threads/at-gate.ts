/** Waits when it is loaded, so that whatever a thread imports after it is evaluated once the gate is open. */
import { workerData } from 'node:worker_threads'
import { passGate } from './binary-gate.ts'
import type { ThreadLaunch } from './launch.ts'

const { gate } = workerData as ThreadLaunch
if (gate !== undefined) passGate(gate)
