/** Thread of a build. Data that all countries need comes from the main thread. */
import { workerData } from 'node:worker_threads'
import { adoptCities, type CityLines } from '../../datasets/reference/cities-500.ts'
import type { SourcePart } from '../../datasets/source.ts'
import { openPart } from '../../datasets/source-part.ts'
import { type BuiltUnion, buildUnion, type Union } from './stages.ts'

export interface WorkerSetup {
  cities: CityLines
}

export interface UnionTask {
  union: Union
  parts: readonly SourcePart[]
}

adoptCities((workerData as WorkerSetup).cities)

export default function run({ union, parts }: UnionTask): BuiltUnion {
  return buildUnion(union, parts.map(openPart))
}
