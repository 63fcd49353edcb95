/**
 * Ends test processes without Node's clean-up of handles, which sometimes never returns (nodejs/node#47748).
 * Removes tap's loader hooks, which no test uses, from test processes. The hooks double the processor time of loading modules, also in
 * each child process. NODE_OPTIONS in package.json loads this file, because options in `.taprc` come after the hooks.
 */
import module, { syncBuiltinESMExports } from 'node:module'

/** tap registers its hooks under this symbol. */
const SPAWN_STATE = Symbol.for('process-on-spawn@*:singletonId')

const isHook = (option: string): boolean => option.includes('@tapjs/') || option.includes('plain-children')

// tap itself loads this file as well, and must pass NODE_OPTIONS on.
if (process.env.TAP_CHILD_ID !== undefined) {
  // Registered last, so that tap has written its results.
  process.once('beforeExit', () => process.on('exit', () => process.exit()))

  module.register = () => {}
  syncBuiltinESMExports()

  const global = globalThis as Record<symbol, unknown>
  // Before `process-on-spawn` loads, this keeps it from replacing the functions that start processes.
  global[SPAWN_STATE] ??= { version: 1, unwrap: () => {} }
  // Nobody reads the list to which a listener is added.
  Object.defineProperty(global[SPAWN_STATE], 'listeners', { get: () => [], set: () => {} })

  const kept = process.env.NODE_OPTIONS?.split(' ').filter(option => !isHook(option))
  if (kept === undefined || kept.length === 0) delete process.env.NODE_OPTIONS
  else process.env.NODE_OPTIONS = kept.join(' ')
  // `fork` passes these on.
  process.execArgv = process.execArgv.filter(option => !isHook(option))
}
