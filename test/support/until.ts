const WAIT_MS_MAX = 60_000

/** Waits for a condition that no event announces. @throws Error after a minute */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const startMs = performance.now()
  while (!(await holds())) {
    const waitedMs = performance.now() - startMs
    if (waitedMs > WAIT_MS_MAX) throw new Error(`waited ${WAIT_MS_MAX} ms in vain for ${holds}`)
    // A long wait leaves the processor to those it waits for.
    await new Promise(resolve => setTimeout(resolve, Math.min(50, 2 + waitedMs / 20)))
  }
}
