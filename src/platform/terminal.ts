/** Output of commands: styles, and errors of the system in words. */
import { styleText } from 'node:util'

// Checked here, because `styleText` of Node.js 20 styles output of any kind.
const coloured = process.stdout.isTTY === true && process.env.NO_COLOR === undefined

export const bold = (text: string): string => (coloured ? styleText('bold', text) : text)
export const dim = (text: string): string => (coloured ? styleText('dim', text) : text)

/** Escapes the control characters of text of unknown origin: a terminal would obey them. */
export function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export function showProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
}

const FORBIDDEN = [
  'this user lacks the permission',
  'Run the command as its owner, or name another place',
] as const
const FREE_SPACE = 'Free some space, and run the command again'

export const FILE_ERRORS: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: ['the file system is read-only', 'Name another place'],
  ENOSPC: ['the disk is full', FREE_SPACE],
  EDQUOT: ["the user's share of the disk is used up", FREE_SPACE],
  ENOENT: ['there is no such file or folder', 'Check the name'],
  EISDIR: ['it is a folder, and a file is expected', 'Name a file'],
  ENOTDIR: ['a part of the path is not a folder', 'Check the name'],
  EEXIST: ['something else has that name', 'Name another place'],
}

export function errorText(error: Error): string {
  const { code = '', path, dest, message } = error as NodeJS.ErrnoException & { dest?: string }
  // Our own messages do not begin with their code.
  if (!Object.hasOwn(FILE_ERRORS, code) || !message.startsWith(`${code}:`)) return message
  const reason = FILE_ERRORS[code].join('. ')
  const subject = dest ?? path
  return subject === undefined ? `${reason} (${message}).` : `${subject}: ${reason} (${code}).`
}
