import { existsSync } from 'node:fs'

/** `path`, if there is a file. @throws Error that says how to get one */
export function existingIndex(path: string): string {
  if (!existsSync(path)) throw new Error(`${path}: no index found; make one with postrie build`)
  return path
}
