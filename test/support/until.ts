const WAIT_MS_MAX = 60_000

/** Waits for a condition that no event announces. @throws Error after a minute */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + WAIT_MS_MAX
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`waited ${WAIT_MS_MAX} ms in vain for ${holds}`)
    await new Promise(resolve => setTimeout(resolve, 2))
  }
}
