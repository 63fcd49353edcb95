/** A log that keeps what it is given, for tests that ask what was reported. */
import type { Log } from '../../src/platform/log.ts'

export interface KeptLog {
  log: Log
  /** Messages by level, in order. */
  lines: { level: 'info' | 'warn' | 'error'; message: string; fields: Record<string, unknown> }[]
}

export function keptLog(): KeptLog {
  const lines: KeptLog['lines'] = []
  const at =
    (level: KeptLog['lines'][number]['level']) => (fields: Record<string, unknown>, message: string) => {
      lines.push({ level, message, fields })
    }
  return { lines, log: { info: at('info'), warn: at('warn'), error: at('error') } as unknown as Log }
}
