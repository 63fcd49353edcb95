/** A lock has the number of its thread plus 1, or 0. The thread must neither throw nor await meanwhile. */
import { SharedStateError } from '../account-error.ts'
import { LIVE_HEADER, STOPPED, WORD } from './live-layout.ts'

/** Tries before the thread sleeps: a few microseconds. */
const SPINS = 100
const SLEEP_MS = 0.05
/** Sleeps before a lock counts as lost: 20,000 of 0.05 ms are at least a second. */
const SLEEPS_MAX = 20_000
const nobody = new Int32Array(new SharedArrayBuffer(4))

/** Takes the lock at `word` in about 10 ns. @throws SharedStateError if another thread died with it */
export function lock(words: Int32Array, word: number, thread: number): void {
  if (Atomics.compareExchange(words, word + WORD.lock, 0, thread + 1) !== 0) wait(words, word, thread)
}

export function unlock(words: Int32Array, word: number): void {
  Atomics.store(words, word + WORD.lock, 0)
}

function wait(words: Int32Array, word: number, thread: number): void {
  for (let sleeps = 0; sleeps < SLEEPS_MAX; sleeps++) {
    for (let spin = 0; spin < SPINS; spin++) {
      if (Atomics.load(words, word + WORD.lock) !== 0) continue
      if (Atomics.compareExchange(words, word + WORD.lock, 0, thread + 1) === 0) return
    }
    // The thread that has it may need this processor.
    Atomics.wait(nobody, 0, 0, SLEEP_MS)
  }
  words[LIVE_HEADER.health] = STOPPED
  const owner = words[word + WORD.lock] - 1
  throw new SharedStateError(
    `thread ${owner} has died with a lock on an account or on the table of keys; thread ${thread} gave up waiting`,
  )
}
