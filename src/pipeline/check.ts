/**
 * Checks the postal codes of a file, from an index or through a service.
 *
 *   input -> whole records -> threads, or batches of a client -> results in order -> output
 *                                                                  `-> progress file, about once a second
 */
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { inOrder } from '../client/in-order.ts'
import { threadsLoaded, waitForThreads } from '../platform/pool-threads.ts'
import type { CheckedChunk } from './check-chunk.ts'
import { csvField } from './csv.ts'
import { type CheckRequest, planOf, resultColumns } from './header.ts'
import { type InputMark, PieceReader, utf8Of } from './input.ts'
import {
  fileOutput,
  isSameFile,
  isStream,
  NO_OUTPUT,
  type Output,
  STANDARD_OUTPUT,
  streamOutput,
} from './output.ts'
import { addCounts, type CheckPlan, type Counts, InputError, noCounts } from './plan.ts'
import { identify, ProgressFile } from './progress-file.ts'
import type { WorkerSetup } from './worker.ts'

/** A check of one input. */
export interface CheckJob {
  request: CheckRequest
  /** Path, or `-`. */
  input: string
  encoding: string | undefined
  /** Path, `-`, or undefined for counts alone. */
  output: string | undefined
  overwrites: boolean
  resumes: boolean
  checker: CheckerOptions
  /** Called after each piece. */
  onProgress: (counts: Counts, bytes: number) => void
  /** Ends the check after the pieces in progress. */
  signal: AbortSignal
}

export interface CheckerOptions {
  /** What the records are checked against, for the progress file. */
  build: string
  /** Makes what checks pieces, once the plan is known. */
  open(plan: CheckPlan): Checker
}

/** What checks pieces, several at a time. */
export interface Checker {
  /** Pieces in progress that keep it busy. */
  concurrency: number
  check(piece: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<CheckedChunk>
  close(): Promise<void>
}

export interface CheckReport {
  counts: Counts
  /** Whether all of the input was checked; false after the signal. */
  isComplete: boolean
}

/** Milliseconds between two notes of the progress: each waits for the disk. */
const SAVE_MS = 1000
/** How long a thread may take to load before it is ended all the same; mostly tens of milliseconds. */
const LOADING_MS_MAX = 60_000
const WORKER_FILE = fileURLToPath(new URL('./worker.js', import.meta.url))
/** Pieces for each thread: one in work and one that waits. */
const PIECES_PER_THREAD = 2

/** Threads that check against the index file. */
export function indexChecker(indexFile: string, build: string, threads: number): CheckerOptions {
  return {
    build,
    open(plan) {
      const setup: WorkerSetup = { indexFile, plan }
      const pool = new Piscina<Uint8Array, CheckedChunk>({
        filename: WORKER_FILE,
        minThreads: threads,
        maxThreads: threads,
        workerData: setup,
      })
      const loaded = threadsLoaded(pool.threads)
      // A thread that fails between two pieces, or before the first.
      const failed = new Promise<never>((_resolve, reject) => pool.on('error', reject))
      failed.catch(() => {})
      return {
        concurrency: threads * PIECES_PER_THREAD,
        check: piece => Promise.race([pool.run(piece, { transferList: [piece.buffer] }), failed]),
        async close() {
          await waitForThreads(loaded, LOADING_MS_MAX)
          await pool.destroy()
        },
      }
    },
  }
}

/**
 * Runs a job to its end, or until its signal. What was written before an error stays, and a later run can go on there.
 * @throws InputError for an input that cannot be understood, the system's errors, and what the checker throws
 */
export async function runCheck(job: CheckJob): Promise<CheckReport> {
  const { input, request, checker: options } = job
  const mark: InputMark = { isMarked: false }
  const reader = new PieceReader(utf8Of(input, job.encoding, mark), request.from)
  try {
    const first = await reader.firstLine()
    if (first === undefined) throw new InputError('the input is empty')
    const plan = planOf(request, first.line, first.lineEnd)
    reader.delimiter = plan.delimiter
    const progress = await progressOf(job, plan, options.build)
    const saved = job.resumes ? await progress?.read() : undefined
    const output = await outputOf(job, saved?.outputEnd)
    let checker: Checker | undefined
    try {
      if (saved === undefined) await progress?.remove()
      checker = options.open(plan)
      const skipped = saved?.inputEnd ?? (plan.from === 'csv' ? first.bytes : 0)
      const header = saved === undefined ? headerOf(plan, mark) : ''
      return await checkPieces(job, reader, checker, output, progress, { saved, skipped, header })
    } finally {
      try {
        await checker?.close()
      } finally {
        await output.close()
      }
    }
  } finally {
    await reader.close()
  }
}

interface Start {
  saved: { outputEnd: number; counts: Counts } | undefined
  /** Bytes of the input that are passed over. */
  skipped: number
  header: string
}

async function checkPieces(
  job: CheckJob,
  reader: PieceReader,
  checker: Checker,
  output: Output,
  progress: ProgressFile | undefined,
  { saved, skipped, header }: Start,
): Promise<CheckReport> {
  const counts = saved?.counts ?? noCounts()
  let outputEnd = saved?.outputEnd ?? 0
  let inputEnd = skipped
  let savedMs = performance.now()
  const write = async (bytes: Uint8Array) => {
    await output.write(bytes)
    outputEnd += bytes.length
  }
  const save = async () => {
    await output.sync()
    await progress?.write({ inputEnd, outputEnd, counts })
    savedMs = performance.now()
  }
  if (header !== '') await write(Buffer.from(header))
  await reader.skip(skipped)
  const checked = inOrder(
    untilAborted(reader.pieces(), job.signal),
    checker.concurrency,
    async ({ bytes, end }, stop) => ({ end, ...(await checker.check(bytes, stop)) }),
    undefined,
  )
  try {
    for await (const { bytes, length, counts: more, problem, end } of checked) {
      if (problem !== null) throw new InputError(`record ${counts.records + more.records + 1}: ${problem}`)
      await write(bytes.subarray(0, length))
      addCounts(counts, more)
      inputEnd = end
      job.onProgress(counts, inputEnd)
      if (progress !== undefined && performance.now() - savedMs > SAVE_MS) await save()
    }
  } catch (error) {
    // A full disk must not hide behind the note that it prevents.
    await save().catch(() => {})
    throw error
  }
  const isComplete = !job.signal.aborted
  if (!isComplete) await save()
  else {
    await output.sync()
    await progress?.remove()
  }
  return { counts, isComplete }
}

async function* untilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    if (signal.aborted) return
    yield item
  }
}

/** Only a file can be read again, and only a file can be cut. */
async function progressOf(job: CheckJob, plan: CheckPlan, build: string): Promise<ProgressFile | undefined> {
  const { input, output } = job
  if (input === '-' || output === undefined || output === '-' || (await isStream(output))) return undefined
  return new ProgressFile(output, await identify(input, plan, build))
}

async function outputOf(
  { input, output, overwrites, resumes }: CheckJob,
  keep: number | undefined,
): Promise<Output> {
  if (output === undefined) return NO_OUTPUT
  if (output === '-') return STANDARD_OUTPUT
  if (input !== '-' && (await isSameFile(input, output)))
    throw new InputError(`${output} is the input itself: name another output`)
  if (!(await isStream(output))) return fileOutput(output, keep, overwrites)
  if (resumes)
    throw new InputError(`${output} is not a file, so a check cannot go on there: leave out --resume`)
  return streamOutput(output)
}

/**
 * The first line of the results; NDJSON has none. A table with a byte order mark came from a spreadsheet, which takes UTF-8 without one
 * for another encoding.
 */
function headerOf(plan: CheckPlan, { isMarked }: InputMark): string {
  if (plan.to === 'ndjson') return ''
  const { from, columns, code, countryColumn = 'country', delimiter, lineEnd } = plan
  const names = [...(from === 'csv' ? columns : [code, countryColumn]), ...resultColumns(plan)]
  const line = names.map(name => csvField(name, delimiter)).join(delimiter)
  return `${isMarked ? '\ufeff' : ''}${line}${lineEnd}`
}
