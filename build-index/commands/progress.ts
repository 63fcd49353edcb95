/** Progress bar on stderr, in a terminal only. */
import { Presets, SingleBar } from 'cli-progress'
import type { OnProgress } from '../../datasets/source.ts'

/** Time after which a step tells how long it will take. */
const TELLING_MS = 2000

export interface Progress {
  step: OnProgress
  /** Removes the bar. May be called twice. */
  stop(): void
}

export function showProgress(): Progress {
  if (process.stderr.isTTY !== true) return { step() {}, stop() {} }
  const bar = new SingleBar(
    {
      format: '{bar} {percentage} %  {step}{left}',
      stream: process.stderr,
      clearOnComplete: true,
      hideCursor: true,
    },
    Presets.rect,
  )
  let started = false
  let [ofAll, sinceMs] = [0, 0]
  return {
    step(step, done, total) {
      // Another total is another piece of work.
      if (total !== ofAll) [ofAll, sinceMs] = [total, performance.now()]
      const left = timeLeft(performance.now() - sinceMs, done / total)
      if (!started) bar.start(total, done, { step, left })
      started = true
      bar.setTotal(total)
      bar.update(done, { step, left })
    },
    stop() {
      bar.stop()
      started = false
    },
  }
}

/** Returns `, about 40 s left`; empty in the first seconds, which say little. */
function timeLeft(ms: number, share: number): string {
  if (ms < TELLING_MS || share === 0 || share >= 1) return ''
  return `, about ${Math.ceil((ms * (1 / share - 1)) / 1000)} s left`
}
