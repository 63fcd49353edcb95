/** Worker thread that takes a snapshot while the service runs. */
import { parentPort, workerData } from 'node:worker_threads'
import { nodeFileSystem } from '../disk/node-file-system.ts'
import { type SnapshotWork, takeSealedSnapshot } from './snapshots.ts'

await takeSealedSnapshot(nodeFileSystem, workerData as SnapshotWork, notice =>
  parentPort?.postMessage(notice),
)
