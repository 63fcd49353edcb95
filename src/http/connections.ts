/** Bounds of the connections of the API, below the limit of file descriptors. */
import { readFileSync } from 'node:fs'
import { CONNECTIONS_MAX, DESCRIPTORS_RESERVED } from '../limits.ts'

/** Connections of a process that may have `descriptors` files open. Leaves room for the files of the ledger. */
export function connectionsMax(descriptors: number): number {
  const reserved = Math.min(DESCRIPTORS_RESERVED, Math.ceil(descriptors / 2))
  return Math.min(CONNECTIONS_MAX, descriptors - reserved)
}

/** Files that this process may have open: the soft limit, which Node.js raises to the hard one. Infinity where unknown. */
export function descriptorLimit(limitsFile = '/proc/self/limits'): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync(limitsFile, 'latin1'))?.[1]
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
