/** Milliseconds of a clock that never goes back and is the same on every thread; `performance.now()` begins anew on each. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}
