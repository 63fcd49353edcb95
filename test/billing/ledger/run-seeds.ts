/** Runs a function for many seeds in worker threads. The test runner watches every promise of its own thread, which doubles the time. */
import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

export type SeedsReport = { failure: string | null; counts: Record<string, number> }

/** Calls `runSeed(seed)` of `module` for `runs` seeds, half of them in each of two workers. */
export async function runSeeds(module: URL, firstSeed: number, runs: number): Promise<SeedsReport> {
  const middle = firstSeed + Math.ceil(runs / 2)
  const reports = await Promise.all([
    runInWorker(module, firstSeed, middle),
    runInWorker(module, middle, firstSeed + runs),
  ])
  const counts: Record<string, number> = {}
  for (const report of reports) addCounts(counts, report.counts)
  return { failure: reports.find(({ failure }) => failure !== null)?.failure ?? null, counts }
}

async function runInWorker(module: URL, firstSeed: number, endSeed: number): Promise<SeedsReport> {
  const workerData = [module.href, firstSeed, endSeed]
  const [report] = await once(new Worker(new URL(import.meta.url), { workerData }), 'message')
  return report
}

function addCounts(sums: Record<string, number>, counts: Record<string, number>): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
}

async function runAll([module, firstSeed, endSeed]: [string, number, number]): Promise<SeedsReport> {
  const { runSeed } = await import(module)
  const counts: Record<string, number> = {}
  let failure: string | null = null
  for (let seed = firstSeed; seed < endSeed && failure === null; seed++) {
    try {
      addCounts(counts, (await runSeed(seed)) ?? {})
    } catch (error) {
      failure = `seed ${seed}: ${error instanceof Error ? error.stack : String(error)}`
    }
  }
  return { failure, counts }
}

if (!isMainThread) parentPort?.postMessage(await runAll(workerData))
