/** The line that says where and when something was measured. */
import { availableParallelism, cpus, totalmem } from 'node:os'

export interface Machine {
  cpu: string
  cores: number
  memoryGB: number
  node: string
  platform: string
  /** `YYYY-MM-DD`. */
  date: string
}

export function thisMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    date: new Date().toISOString().slice(0, 10),
  }
}

export function machineLine({ cpu, cores, memoryGB, node, platform, date }: Machine): string {
  return `${cpu}, ${cores} cores, ${memoryGB} GB, ${platform}, Node.js ${node}, ${date}`
}
