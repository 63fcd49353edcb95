/** What a process holds in memory. */
import { readFileSync } from 'node:fs'

export interface MemoryUse {
  /** Pages in memory, of the heap and of mapped files alike. */
  residentBytes: number
  /** Live objects and buffers of JavaScript, after a collection. */
  heapBytes: number
}

/** Needs `--expose-gc` to be exact. */
export function memoryUse(): MemoryUse {
  globalThis.gc?.()
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage()
  return { residentBytes: rss, heapBytes: heapUsed + arrayBuffers }
}

/** Resident bytes of a process: all, and those of mapped files. Outside Linux only all, and of this process. */
export function residentOf(pid: number): { all: number; file: number } {
  if (process.platform !== 'linux') return { all: process.memoryUsage.rss(), file: 0 }
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024
  return { all: bytes('VmRSS'), file: bytes('RssFile') }
}
