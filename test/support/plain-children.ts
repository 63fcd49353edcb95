/**
 * Loaded into every test process that tap starts (`node-arg` in `.taprc`). tap has each process that a test starts load its hooks
 * for coverage, which nobody collects here, into all of its threads. That nearly triples the processor time of a command, and
 * what is tested would not be what users run.
 */

/** Where `process-on-spawn`, which tap uses for that, keeps its listeners. */
const SPAWN_STATE = Symbol.for('process-on-spawn@*:singletonId')

const isHook = (option: string): boolean => option.includes('@tapjs/')

const global = globalThis as Record<symbol, unknown>
// Before it is loaded, this keeps it from replacing the functions that start processes.
global[SPAWN_STATE] ??= { version: 1, unwrap: () => {} }
// Whoever adds a listener adds it to a list that nobody reads.
Object.defineProperty(global[SPAWN_STATE], 'listeners', { get: () => [], set: () => {} })

const { NODE_OPTIONS } = process.env
const kept = NODE_OPTIONS?.split(' ').filter(option => !isHook(option))
if (kept === undefined || kept.length === 0) delete process.env.NODE_OPTIONS
else process.env.NODE_OPTIONS = kept.join(' ')
// What `fork` hands on.
process.execArgv = process.execArgv.filter(option => !isHook(option) && !option.includes('plain-children'))

export {}
