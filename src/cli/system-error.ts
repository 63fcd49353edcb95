/** What a command says of a call that the system refused. */

/** What was found, and what to do, by the system's code. */
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

/** `error` in words, with the path where the system says it and its code for whoever searches; other errors as they are. */
export function errorText(error: Error): string {
  const { code = '', path, dest, message } = error as NodeJS.ErrnoException & { dest?: string }
  const reason = REASONS[code]
  // Messages of our own begin otherwise, whatever code they carry.
  if (reason === undefined || !message.startsWith(`${code}:`)) return message
  const subject = dest ?? path
  return subject === undefined ? `${reason} (${message}).` : `${subject}: ${reason} (${code}).`
}
