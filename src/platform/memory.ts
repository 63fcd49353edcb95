import { totalmem } from 'node:os'

/** Memory that this process may use, in bytes: what its control group or container allows, or else what the machine has. */
export function memoryBytes(): number {
  // Without a limit it is 0, or larger than any machine's memory.
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
