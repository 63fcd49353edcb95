/** Who holds a name in Linux' abstract namespace of sockets, for an error message. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

const PROCESSES = '/proc'

/** Such as `process 4711 (node)`; processes of other users do not show what they hold. @param name without its leading zero byte */
export function nameHolder(name: string): string {
  try {
    // Inode and name are the last two of eight columns. Zero bytes are written as `@`, and some versions of Node.js fill up with them.
    const line = readFileSync(join(PROCESSES, 'net/unix'), 'utf8')
      .split('\n')
      .find(line => line.replace(/@+$/, '').endsWith(` @${name}`))
    const inode = line?.trim().split(/ +/)[6]
    const process = inode === undefined ? undefined : processWith(`socket:[${inode}]`)
    return process ?? 'a process of another user'
  } catch {
    return 'an unknown process'
  }
}

function processWith(socket: string): string | undefined {
  for (const id of readdirSync(PROCESSES)) {
    if (!/^\d+$/.test(id) || !hasOpen(id, socket)) continue
    return `process ${id} (${readFileSync(join(PROCESSES, id, 'comm'), 'utf8').trim()})`
  }
  return undefined
}

function hasOpen(id: string, socket: string): boolean {
  const folder = join(PROCESSES, id, 'fd')
  try {
    return readdirSync(folder).some(fd => linkOf(join(folder, fd)) === socket)
  } catch {
    // Of another user, or ended meanwhile.
    return false
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
