/** Puts a complete file in the place of another one, so that a power cut leaves one of the two and never a part. */
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Syncs the file at `from`, renames it to `to`, and syncs the folder. Both are in the same file system. */
export async function replaceFile(from: string, to: string): Promise<void> {
  await sync(from)
  await rename(from, to)
  await sync(dirname(to))
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
