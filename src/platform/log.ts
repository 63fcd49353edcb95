/** The log: JSON lines on stderr, so that stdout stays for what a person or a script reads. */
import { writeSync } from 'node:fs'
import { type LevelWithSilent, type Logger, pino } from 'pino'

export type Log = Logger

const STDERR = 2

/**
 * A log at `level`. Lines are written synchronously: the last line before a fatal exit is the one that matters, and
 * nothing on the hot path logs. A line that cannot be written is lost, and the service goes on.
 */
export function createLog(level: LevelWithSilent): Log {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    { write: lineWriter(text => writeSync(STDERR, text)) },
  )
}

/**
 * Writes lines through `write`, which throws while the disk is full or the reader of a pipe is gone. The first line
 * that can be written again is preceded by one that counts those lost.
 */
function lineWriter(write: (text: string) => void): (line: string) => void {
  let lost = 0
  return line => {
    try {
      if (lost > 0)
        write(`${JSON.stringify({ level: 'warn', lost, msg: 'log lines could not be written' })}\n`)
      lost = 0
      write(line)
    } catch {
      lost++
    }
  }
}
