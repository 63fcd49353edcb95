/** Folders and files of the benchmarks. Code runs from `dist/bench`; sources, packages and results lie in `bench`. */
import { fileURLToPath } from 'node:url'

export const ROOT_FOLDER: string = fileURLToPath(new URL('../../', import.meta.url))

export const BENCH_FOLDER: string = `${ROOT_FOLDER}bench/`
export const RESULTS_FOLDER: string = `${BENCH_FOLDER}results/`
/** Indexes and databases that are made once and used again; ignored by git. */
export const CACHE_FOLDER: string = `${ROOT_FOLDER}data/bench/`

/** The compiled file of a module of this folder, for starting it as a process. */
export function compiledFile(module: string): string {
  return fileURLToPath(new URL(module.replace(/\.ts$/, '.js'), import.meta.url))
}
