/** Entry of the worker thread that takes a snapshot while the service runs. */
import { workerData } from 'node:worker_threads'
import { nodeFileSystem } from '../disk/node-file-system.ts'
import { snapshotSealed } from './snapshot-sealed.ts'

await snapshotSealed(nodeFileSystem, workerData as string)
