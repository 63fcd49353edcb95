/**
 * Holds server threads back from loading the binary of the HTTP server until it has been checked. They are launched before, and
 * load all other code in the meantime.
 */

const CLOSED = 0
const OPEN = 1

/** A word in memory that all threads share. */
export type BinaryGate = Int32Array

/** Threads that are launched with it wait at `passGate`. */
export function closedGate(): BinaryGate {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
}

/** Lets every thread go on. */
export function openGate(gate: BinaryGate): void {
  Atomics.store(gate, 0, OPEN)
  Atomics.notify(gate, 0)
}

/** Blocks this thread until the gate is open, or until the thread is terminated. */
export function passGate(gate: BinaryGate): void {
  while (Atomics.load(gate, 0) === CLOSED) Atomics.wait(gate, 0, CLOSED)
}
