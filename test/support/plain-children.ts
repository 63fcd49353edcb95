/**
 * Loaded first into every test process that tap starts (NODE_OPTIONS in package.json), and again by `.taprc` where tap is started by hand.
 * tap registers loader hooks for mocks and coverage, which no test uses. They double the processor time of loading modules, and tap has
 * each process that a test starts load them too.
 */
import module, { syncBuiltinESMExports } from 'node:module'

/** Key of the listeners of `process-on-spawn`, with which tap hands its hooks on. */
const SPAWN_STATE = Symbol.for('process-on-spawn@*:singletonId')

const isHook = (option: string): boolean => option.includes('@tapjs/') || option.includes('plain-children')

// tap itself, which loads this file as well, has to hand NODE_OPTIONS on.
if (process.env.TAP_CHILD_ID !== undefined) {
  module.register = () => {}
  syncBuiltinESMExports()

  const global = globalThis as Record<symbol, unknown>
  // Before `process-on-spawn` is loaded, this keeps it from replacing the functions that start processes.
  global[SPAWN_STATE] ??= { version: 1, unwrap: () => {} }
  // A listener is added to a list that nobody reads.
  Object.defineProperty(global[SPAWN_STATE], 'listeners', { get: () => [], set: () => {} })

  const kept = process.env.NODE_OPTIONS?.split(' ').filter(option => !isHook(option))
  if (kept === undefined || kept.length === 0) delete process.env.NODE_OPTIONS
  else process.env.NODE_OPTIONS = kept.join(' ')
  // `fork` hands these on.
  process.execArgv = process.execArgv.filter(option => !isHook(option))
}
