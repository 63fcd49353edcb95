/** Progress bar on stderr, in a terminal only. */
import { Presets, SingleBar } from 'cli-progress'

export interface Progress {
  step(step: string, done: number, total: number): void
  /** Removes the bar. May be called twice. */
  stop(): void
}

export function showProgress(): Progress {
  if (process.stderr.isTTY !== true) return { step() {}, stop() {} }
  const bar = new SingleBar(
    {
      format: '{bar} {value}/{total}  {step}',
      stream: process.stderr,
      clearOnComplete: true,
      hideCursor: true,
    },
    Presets.rect,
  )
  let started = false
  return {
    step(step, done, total) {
      if (!started) bar.start(total, done, { step })
      started = true
      bar.setTotal(total)
      bar.update(done, { step })
    },
    stop() {
      bar.stop()
      started = false
    },
  }
}
