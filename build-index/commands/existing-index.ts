import { existsSync } from 'node:fs'

/** `path`, if there is a file. @throws Error that says how to get one */
export function existingIndex(path: string): string {
  if (!existsSync(path)) throw new Error(`${path}: there is no index; postrie build makes one`)
  return path
}
