/** Brings what the dashboard of a fleet has kept in the database back into files, for a node that is alone again. */
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { SharedRows } from '../shell/keyed-store.ts'
import { readPrivate, replacePrivate } from '../shell/private-file.ts'

/** Names of the maps that the dashboard keeps. */
const NAMES = ['alerts', 'alerts-outbox', 'recharges']

/**
 * Writes the file of each name that has rows into `dataDir`. A file that is there is older and goes aside, unless `isAgain`: the move has
 * been finished before, so it may be newer.
 * @throws Error when a file there is not private; what the reading failed with
 */
export async function carryBack(
  rows: Pick<SharedRows, 'read'>,
  dataDir: string,
  isAgain: boolean,
): Promise<void> {
  for (const name of NAMES) {
    const path = join(dataDir, `${name}.jsonl`)
    const lines = await rows.read(name)
    const isThere = (await readPrivate(path)) !== undefined
    if (lines.length === 0 || (isThere && isAgain)) continue
    if (isThere) await rename(path, `${path}.unused`)
    const text = lines.map(([key, json]) => `[${JSON.stringify(key)},${json}]\n`).join('')
    await replacePrivate(path, text)
  }
}
