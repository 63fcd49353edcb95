/** Opens a map where it is kept: in its file, or, in a fleet, in the database, which takes over what the file has. */
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../platform/log.ts'
import type { KeyedStore, SharedRows } from '../shell/keyed-store.ts'
import { KeyedFile } from './keyed-file.ts'
import { KeyedRows } from './keyed-rows.ts'

export interface KeyedParts {
  dataDir: string
  /** Of the fleet that this node has the dashboard of; absent: there is none. */
  sharedRows?: SharedRows
  log: Pick<Log, 'warn' | 'error'>
}

/**
 * @param name of the file, without its ending, and of the rows
 * @param parse turns the JSON of a value into a value; null when it is not one
 * @throws Error when the file is not private, or when the database does not answer
 */
export async function openKeyed<T>(
  { dataDir, sharedRows, log }: KeyedParts,
  name: string,
  parse: (value: unknown) => T | null,
): Promise<KeyedStore<T>> {
  const path = join(dataDir, `${name}.jsonl`)
  if (sharedRows !== undefined) await carryOver(sharedRows, path, name, log)
  const opened =
    sharedRows === undefined
      ? await KeyedFile.open(path, parse)
      : await KeyedRows.open(sharedRows, name, parse)
  if (opened.damaged > 0) log.error({ name, lines: opened.damaged }, 'damaged lines were dropped')
  return opened
}

/** Once for each name: the file of the node that had the dashboard before there were rows. It stays, under another name. */
async function carryOver(
  rows: SharedRows,
  path: string,
  name: string,
  log: KeyedParts['log'],
): Promise<void> {
  const file = await KeyedFile.openExisting(path, value => value)
  if (file === null) return
  if (file.damaged > 0) log.error({ name, lines: file.damaged }, 'damaged lines were dropped')
  const lines = Array.from(file.entries(), ([key, value]) => [key, JSON.stringify(value)] as const)
  const isTaken = await rows.carry(name, lines)
  const aside = `${path}.${isTaken ? 'carried' : 'unused'}`
  await rename(path, aside)
  const message = isTaken
    ? 'the database of the fleet has the rows of this file from now on'
    : 'the database of the fleet has newer rows than this file, which is not used'
  log.warn({ file: aside, rows: lines.length }, message)
}
