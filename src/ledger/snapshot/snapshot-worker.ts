/** Entry of the worker thread that takes a snapshot while the service runs. */
import { parentPort, workerData } from 'node:worker_threads'
import { nodeFileSystem } from '../disk/node-file-system.ts'
import { type SnapshotWork, snapshotSealed } from './snapshots.ts'

await snapshotSealed(nodeFileSystem, workerData as SnapshotWork, notice => parentPort?.postMessage(notice))
