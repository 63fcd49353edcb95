/** Processor time of this process, and of the threads of another one. */
import { readdirSync, readFileSync } from 'node:fs'

/**
 * The clock of measurements in process: processor time of this process, all threads. Unlike the time on the wall it leaves
 * out what other programs take, and unlike that of one thread it counts the collector's helpers, which rivals keep busy.
 */
export function processorNanos(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1000
}

/** Processor time of each thread of a process so far, in nanoseconds, by the number of the thread. Linux only. */
export function threadNanos(pid: number): Map<string, number> {
  const folder = `/proc/${pid}/task`
  const nanosOf = (thread: string) =>
    Number(readFileSync(`${folder}/${thread}/schedstat`, 'latin1').split(' ')[0])
  return new Map(readdirSync(folder).map(thread => [thread, nanosOf(thread)]))
}
