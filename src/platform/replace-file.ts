/** Replaces files as a whole, and durably. */
import { open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Renames a file in one file system durably: a power cut leaves one complete file. */
export async function replaceFile(from: string, to: string): Promise<void> {
  await sync(from)
  await rename(from, to)
  // Windows cannot sync a folder, and does not need to.
  if (process.platform !== 'win32') await sync(dirname(to))
}

/** Writes a file as a whole. After a failure, the former file stays. */
export async function writeWhole(path: string, content: string | Uint8Array, mode = 0o666): Promise<void> {
  const draft = `${path}.new`
  try {
    await rm(draft, { force: true })
    await writeFile(draft, content, { mode, flag: 'wx' })
    await replaceFile(draft, path)
  } catch (error) {
    // A full disk leaves an empty file.
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
