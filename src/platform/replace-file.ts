import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Syncs and renames a file in one file system, and syncs its folder. A power cut leaves one complete file. */
export async function replaceFile(from: string, to: string): Promise<void> {
  await sync(from)
  await rename(from, to)
  // Windows cannot sync a folder, and does not need to.
  if (process.platform !== 'win32') await sync(dirname(to))
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
