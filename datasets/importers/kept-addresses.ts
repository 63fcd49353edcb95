/** Keeps the codes of large address files, so that a repeated build does not read them again. */
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { packageVersion } from '../../src/platform/package-version.ts'
import { replaceFile } from '../../src/platform/replace-file.ts'
import type { OnProgress } from '../source.ts'
import { Gathered, type Group } from './gather.ts'
import type { Importer } from './importer.ts'

const CHUNK_CHARACTERS = 1 << 18

/**
 * Adds the addresses of the file at `path` to `into`, through a file of its codes in `DATA_DIR/imports`.
 * @throws Error as the importer's `read`; nothing is kept then
 */
export async function gatherFile(
  importer: Importer,
  path: string,
  country: string,
  into: Gathered,
  dataDir: string,
  onProgress: OnProgress,
): Promise<void> {
  const { size, mtimeMs } = await stat(path)
  const source = {
    version: packageVersion(),
    kind: importer.kind,
    country,
    path: resolve(path),
    size,
    mtimeMs,
  }
  const folder = join(dataDir, 'imports')
  const name = join(folder, `${importer.kind}-${country || 'all'}-${basename(path)}.jsonl`)
  if (await load(name, source, into)) return
  await mkdir(folder, { recursive: true })
  const gathered = new Gathered(true)
  await importer.read(path, country, found => gathered.take(path, country, found), onProgress)
  await keep(name, source, gathered)
  await load(name, source, into)
}

async function keep(name: string, source: object, gathered: Gathered): Promise<void> {
  const part = `${name}.part`
  try {
    await pipeline(Readable.from(chunksOf(source, gathered)), createWriteStream(part))
    await replaceFile(part, name)
  } finally {
    await rm(part, { force: true })
  }
}

/** Yields lines: the file that was read, its groups, and their number. */
function* chunksOf(source: object, gathered: Gathered): Iterable<string> {
  const { lines, leftOut } = gathered
  let text = `${JSON.stringify({ ...source, lines, leftOut })}\n`
  let count = 0
  for (const group of gathered.groups()) {
    count++
    text += `${JSON.stringify(group)}\n`
    if (text.length < CHUNK_CHARACTERS) continue
    yield text
    text = ''
  }
  yield `${text}${count}\n`
}

/**
 * Adds the file at `name` to `into`; returns false if it is of another file or version.
 * @throws Error when it is damaged
 */
async function load(name: string, source: object, into: Gathered): Promise<boolean> {
  if (!existsSync(name)) return false
  let isHead = true
  let [count, end] = [0, -1]
  const file = await open(name)
  try {
    for await (const line of file.readLines()) {
      const value = JSON.parse(line)
      if (isHead) {
        const { lines, leftOut, ...found } = value
        if (JSON.stringify(found) !== JSON.stringify(source)) return false
        into.lines += lines
        into.leftOut += leftOut
        isHead = false
      } else if (typeof value === 'number') end = value
      else {
        count++
        into.put(...(value as [country: string, code: string, group: Group]))
      }
    }
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
  } finally {
    await file.close()
  }
  if (count !== end) throw new Error(`${name} is damaged; delete it, and the file of addresses is read again`)
  return true
}
