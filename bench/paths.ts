/** Folders of the benchmarks. Code runs from `dist/bench`. */
import { fileURLToPath } from 'node:url'

export const ROOT_FOLDER: string = fileURLToPath(new URL('../../', import.meta.url))

export const BENCH_FOLDER: string = `${ROOT_FOLDER}bench/`
export const RESULTS_FOLDER: string = `${BENCH_FOLDER}results/`
/** Reused indexes and databases, ignored by git. */
export const CACHE_FOLDER: string = `${ROOT_FOLDER}data/bench/`

/** Returns the compiled file of a module of this folder. */
export function compiledFile(module: string): string {
  return fileURLToPath(new URL(module.replace(/\.ts$/, '.js'), import.meta.url))
}
