import type { Log } from '../../src/platform/log.ts'

export interface MemoryLog {
  log: Log
  lines: { level: 'info' | 'warn' | 'error'; message: string; fields: Record<string, unknown> }[]
}

export function createMemoryLog(): MemoryLog {
  const lines: MemoryLog['lines'] = []
  const at =
    (level: MemoryLog['lines'][number]['level']) => (fields: Record<string, unknown>, message: string) => {
      lines.push({ level, message, fields })
    }
  return { lines, log: { info: at('info'), warn: at('warn'), error: at('error') } as unknown as Log }
}
