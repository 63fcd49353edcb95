import type { Log } from '../../src/platform/log.ts'

export function createMemoryLog() {
  const lines: { level: string; message: string; fields: Record<string, unknown> }[] = []
  const at = (level: string) => (fields: Record<string, unknown>, message: string) => {
    lines.push({ level, message, fields })
  }
  return { lines, log: { info: at('info'), warn: at('warn'), error: at('error') } as unknown as Log }
}
