/** The log: JSON lines on stderr, so that stdout stays for what a person or a script reads. */
import { writeSync } from 'node:fs'
import { type LevelWithSilent, type Logger, pino } from 'pino'

export type Log = Logger

const STDERR = 2

/** Creates a log. Lines are written synchronously, so that none is lost before a fatal exit. */
export function createLog(level: LevelWithSilent): Log {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    { write: lineWriter() },
  )
}

/** A write may take only a part. */
function writeAll(text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(STDERR, bytes, at)
}

/** Drops lines that cannot be written: a full disk, a closed pipe. The next line tells their number. */
function lineWriter(): (line: string) => void {
  let lost = 0
  return line => {
    try {
      if (lost > 0)
        writeAll(`${JSON.stringify({ level: 'warn', lost, msg: 'log lines could not be written' })}\n`)
      lost = 0
      writeAll(line)
    } catch {
      lost++
    }
  }
}
