/** Time of long work in one turn of the event loop. The step that reaches it may be longer. */
const TURN_MS = 2

/** Returns a function that long work calls before each step. It ends the turn of the event loop when TURN_MS are over. */
export function pauses(): () => Promise<void> {
  let endMs = performance.now() + TURN_MS
  return async () => {
    if (performance.now() < endMs) return
    await new Promise(resolve => setImmediate(resolve))
    endMs = performance.now() + TURN_MS
  }
}
