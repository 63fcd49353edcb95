/** Memory of this process, and the unit of memory in settings and messages. */
import { totalmem } from 'node:os'

/** Bytes of a megabyte in settings, messages and bounds. */
export const MEGABYTE = 1024 * 1024

/** Returns the memory that this process may use: the limit of its control group, else the machine's. */
export function memoryBytes(): number {
  // Without a limit, constrainedMemory() returns 0, or more than any machine has.
  return Math.min(process.constrainedMemory() || Infinity, totalmem())
}
