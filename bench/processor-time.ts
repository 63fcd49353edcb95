/**
 * The clock of measurements in process: processor time of this process, all threads. Unlike the time on the wall it leaves
 * out what other programs take, and unlike that of one thread it counts the collector's helpers, which rivals keep busy.
 */
export function processorNanos(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1000
}
