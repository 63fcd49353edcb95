/** Begins what takes time and needs nothing of the rest of the service, before the code of that rest is loaded. */
import { whyNotPinned } from '../http/binary.ts'
import type { Begun } from '../http/data-plane.ts'
import { closedGate, openGate } from '../http/threads/binary-gate.ts'
import { launchThreads } from '../http/threads/launch.ts'
import { openServedIndex } from '../index/served-index.ts'
import type { Config } from '../settings/config.ts'

/** Has server threads load their code, and the index read into memory. @returns why the binary must not be loaded, instead */
export async function begin({ httpThreads, indexFile }: Config): Promise<Begun | string> {
  const gate = closedGate()
  const workers = launchThreads(httpThreads, gate)
  const index = openServedIndex(indexFile)
  // It may fail long before anybody waits for it.
  index.catch(() => {})
  const changed = whyNotPinned()
  if (changed !== null) {
    await Promise.all(workers.map(worker => worker.terminate()))
    return changed
  }
  openGate(gate)
  return { workers, index }
}
