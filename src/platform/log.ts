/** The log: JSON lines on stderr, so that stdout stays for what a person or a script reads. */
import { type Logger, pino } from 'pino'
import type { LogLevel } from '../settings/config.ts'

export type Log = Logger

/**
 * A log at `level`. Lines are written synchronously: the last line before a fatal exit is the one that matters, and
 * nothing on the hot path logs.
 */
export function createLog(level: LogLevel): Log {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    pino.destination({ dest: 2, sync: true }),
  )
}
