/** Output of commands: styles, and errors of the system in words. */
import { styleText } from 'node:util'

// `styleText` of Node.js 20 does not check this.
const coloured = process.stdout.isTTY === true && process.env.NO_COLOR === undefined

export const bold = (text: string): string => (coloured ? styleText('bold', text) : text)
export const dim = (text: string): string => (coloured ? styleText('dim', text) : text)

/** Escapes the control characters of text of unknown origin: a terminal would obey them. */
export function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, sign => JSON.stringify(sign).slice(1, -1))
}

export function showProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
}

/** Ends the process after standard output failed. A closed pipe (`| head`) is no failure. */
export function endUnread({ code, message }: NodeJS.ErrnoException): void {
  if (code !== 'EPIPE') console.error(`postrie: standard output cannot be written: ${message}`)
  process.exit(code === 'EPIPE' ? 0 : 1)
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user lacks the permission. Run the command as its owner, or name another place',
  EPERM: 'this user lacks the permission. Run the command as its owner, or name another place',
  EROFS: 'the file system is read-only. Name another place',
  ENOSPC: 'the disk is full. Free some space, and run the command again',
  EDQUOT: "the user's share of the disk is used up. Free some space, and run the command again",
  ENOENT: 'there is no such file or folder. Check the name',
  EISDIR: 'it is a folder, and a file is expected. Name a file',
  ENOTDIR: 'a part of the path is not a folder. Check the name',
  EEXIST: 'something else has that name. Name another place',
}

export function errorText(error: Error): string {
  const { code = '', path, dest, message } = error as NodeJS.ErrnoException & { dest?: string }
  const reason = REASONS[code]
  // Our own messages do not begin with their code.
  if (reason === undefined || !message.startsWith(`${code}:`)) return message
  const subject = dest ?? path
  return subject === undefined ? `${reason} (${message}).` : `${subject}: ${reason} (${code}).`
}
