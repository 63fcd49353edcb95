import { setTimeout as sleep } from 'node:timers/promises'

/** Runs work again and again until `isOver`, `ms` after its last end. The wait does not keep the process alive. */
export async function repeat(ms: number, work: () => Promise<void>, isOver: () => boolean): Promise<void> {
  for (;;) {
    await sleep(ms, undefined, { ref: false })
    if (isOver()) return
    await work()
  }
}
