/** Finds files that a process left beside its target when it was killed. Their names end in its number. */
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Returns the name of this process for a file that will be at `path` once it is complete. */
export function partOf(path: string): string {
  return `${path}.${process.pid}.part`
}

/** Returns the files of dead processes beside the index at `path`: parts of fetches, drafts of builds. */
export async function findLeftovers(path: string): Promise<{ path: string; bytes: number }[]> {
  const folder = dirname(path)
  const names = await readdir(folder).catch(() => [])
  const left = names.filter(name => name.startsWith(`${basename(path)}.`) && isLeftover(name))
  return Promise.all(
    left.map(async name => {
      const file = join(folder, name)
      const found = await stat(file).catch(() => undefined)
      return { path: file, bytes: found?.size ?? 0 }
    }),
  )
}

export async function removeLeftovers(path: string): Promise<void> {
  for (const { path: file } of await findLeftovers(path)) await rm(file, { force: true })
}

function isLeftover(name: string): boolean {
  const [, maker] = /\.(\d+)\.(?:part|tmp)$/.exec(name) ?? []
  // In a container, a process often has the number of its predecessor.
  return maker !== undefined && (Number(maker) === process.pid || !isAlive(Number(maker)))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
