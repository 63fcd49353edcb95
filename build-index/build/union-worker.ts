/** Thread of a build: builds the next union until none is left. Data that all countries need comes from the main thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { adoptCities, type CityLines } from '../../datasets/reference/cities-500.ts'
import type { SourcePart } from '../../datasets/source.ts'
import { openPart } from '../../datasets/source-part.ts'
import { type BuiltUnion, buildUnion, type Union } from './stages.ts'

export interface WorkerSetup {
  cities: CityLines
  tasks: readonly UnionTask[]
  /** Number of the next task, shared by all threads: none waits for the writer. */
  next: Int32Array
}

export interface UnionTask {
  union: Union
  parts: readonly SourcePart[]
}

export interface BuiltTask {
  post: string
  built: BuiltUnion
}

const { cities, tasks, next } = workerData as WorkerSetup
adoptCities(cities)
for (let i = Atomics.add(next, 0, 1); i < tasks.length; i = Atomics.add(next, 0, 1)) {
  const { union, parts } = tasks[i]
  const done: BuiltTask = { post: union.post, built: buildUnion(union, parts.map(openPart)) }
  parentPort?.postMessage(done)
}
