import { existsSync } from 'node:fs'

/** Returns `path` if the file exists. @throws Error that says how to build one */
export function existingIndex(path: string): string {
  if (!existsSync(path)) throw new Error(`${path}: there is no index; postrie build makes one`)
  return path
}
