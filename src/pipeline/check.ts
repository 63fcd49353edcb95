/**
 * Checks the postal codes of a file, from an index or through a service.
 *
 *   input -> whole records -> threads, or batches of a client -> results in order -> output
 *                                                                  `-> progress file, about once a second
 */
import { existsSync } from 'node:fs'
import { inOrder } from '../client/in-order.ts'
import { addCounts, type Counts, noCounts } from './counts.ts'
import { csvField } from './csv.ts'
import { elementsOf, formatOf, type InputMark, PieceReader, peeked, utf8Of } from './input.ts'
import { InputError } from './input-error.ts'
import { type CheckPlan, type CheckRequest, planOf } from './plan.ts'
import { identify, type Progress, ProgressFile } from './progress-file.ts'
import { type CheckedPiece, expectUtf8 } from './records.ts'
import {
  hasContent,
  isSameFile,
  isStream,
  NO_RESULTS,
  openFile,
  openStream,
  type Results,
  STANDARD_OUTPUT,
} from './results-file.ts'

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
  /** Called with what was chosen, where something else may have been meant. */
  onNote: (note: string) => void
  onProgress: (counts: Counts, bytes: number) => void
  /** Ends the check after the pieces in progress. */
  signal: AbortSignal
}

export interface CheckerOptions {
  pieceBytes?: number
  /** Build of the index, or address of the service, for the progress file. */
  build: string
  /** Makes what checks pieces, once the plan is known. */
  open(plan: CheckPlan): Checker
}

export interface Checker {
  concurrency: number
  check(piece: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<CheckedPiece>
  close(): Promise<void>
}

export interface CheckReport {
  counts: Counts
  /** False if the signal has ended it before all of the input was checked. */
  isComplete: boolean
}

/** A first line in which a spreadsheet names the delimiter. */
const SEPARATOR = /^sep=([,;|\t])$/i
/** Milliseconds between two notes of the progress: each waits for the disk. */
const SAVE_MS = 1000

/**
 * Runs a job to its end, or until its signal. What was written before an error stays, and a later run can go on there.
 * @throws InputError for an input that cannot be understood, the system's errors, and what the checker throws
 */
export async function runCheck(job: CheckJob): Promise<CheckReport> {
  const { input, request, checker: options } = job
  const mark: InputMark = { isMarked: false }
  const [start, utf8] = await peeked(utf8Of(input, job.encoding, mark))
  const format = request.from ?? formatOf(start)
  const from = format === 'json' ? 'ndjson' : format
  const reader = new PieceReader(format === 'json' ? elementsOf(utf8) : utf8, from, options.pieceBytes)
  try {
    let first = await reader.firstLine()
    let separator: string | undefined
    let before = 0
    while (first !== undefined) {
      separator ??= SEPARATOR.exec(first.line.toString())?.[1]
      if (first.line.length > 0 && (before > 0 || separator === undefined)) break
      before += first.bytes
      await reader.skip(first.bytes)
      first = await reader.firstLine()
    }
    if (first === undefined) throw new InputError('the input is empty')
    expectUtf8(first.line)
    const wanted = { ...request, delimiter: request.delimiter ?? separator }
    const plan = planOf(wanted, from, first.line, first.lineEnd, job.onNote)
    reader.delimiter = plan.delimiter
    const header = headerOf(plan, mark)
    const begin: Progress = {
      inputEnd: before + (plan.from === 'csv' ? first.bytes : 0),
      outputEnd: 0,
      counts: noCounts(),
    }
    const progress = await progressOf(job, plan, options.build)
    const saved = job.resumes ? await progress?.read() : undefined
    const progressed = saved ?? begin
    const results = await resultsOf(job, progressed.outputEnd, async output => {
      if (saved !== undefined) return
      if (!job.overwrites && (await hasContent(output))) throw new InputError(alreadyThere(output))
      // Noted before the first result, so that a check that is killed at once can be resumed.
      await progress?.write(begin)
    })
    let checker: Checker | undefined
    try {
      checker = options.open(plan)
      await reader.skip(progressed.inputEnd - before)
      return await checkPieces(job, reader, checker, results, progress, progressed, header)
    } finally {
      try {
        await checker?.close()
      } finally {
        await results.close()
      }
    }
  } finally {
    await reader.close()
  }
}

async function checkPieces(
  job: CheckJob,
  reader: PieceReader,
  checker: Checker,
  results: Results,
  progress: ProgressFile | undefined,
  from: Progress,
  header: string,
): Promise<CheckReport> {
  const { counts } = from
  let { inputEnd, outputEnd } = from
  let savedMs = performance.now()
  const write = async (bytes: Uint8Array) => {
    await results.write(bytes)
    outputEnd += bytes.length
  }
  const save = async () => {
    await results.sync()
    await progress?.write({ inputEnd, outputEnd, counts })
    savedMs = performance.now()
  }
  if (outputEnd === 0 && header !== '') await write(Buffer.from(header))
  const checked = inOrder(
    untilAborted(reader.pieces(), job.signal),
    checker.concurrency,
    async ({ bytes, end }, stop) => ({ end, ...(await checker.check(bytes, stop)) }),
    undefined,
  )
  try {
    for await (const { bytes, counts: more, problem, end } of checked) {
      if (problem !== null) throw new InputError(`record ${counts.records + more.records + 1}: ${problem}`)
      await write(bytes)
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
    await results.sync()
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
  const { input, output, encoding } = job
  if (input === '-' || output === undefined || output === '-' || (await isStream(output))) return undefined
  return new ProgressFile(output, await identify(input, plan, build, encoding))
}

/** @param keep bytes of an output file that stay @param prepare called before a file is opened */
async function resultsOf(
  { input, output, resumes }: CheckJob,
  keep: number,
  prepare: (output: string) => Promise<void>,
): Promise<Results> {
  if (output === undefined) return NO_RESULTS
  if (output === '-') return STANDARD_OUTPUT
  if (input !== '-' && (await isSameFile(input, output)))
    throw new InputError(`${output} is the input itself: name another output`)
  if (await isStream(output)) {
    if (!resumes) return openStream(output)
    throw new InputError(`${output} is not a file, so a check cannot go on there: leave out --resume`)
  }
  await prepare(output)
  return openFile(output, keep)
}

function alreadyThere(output: string): string {
  const remedy = existsSync(`${output}.progress`)
    ? ': --resume goes on with it, --overwrite begins again'
    : `, without the file ${output}.progress from which --resume could go on: --overwrite begins again`
  return `${output} is there already${remedy}`
}

/**
 * The first line of the results; NDJSON has none. A table with a byte order mark came from a spreadsheet, which takes UTF-8 without one
 * for another encoding.
 */
function headerOf(plan: CheckPlan, { isMarked }: InputMark): string {
  if (plan.to === 'ndjson') return ''
  const { columns, added, delimiter, lineEnd } = plan
  const line = [...columns, ...added].map(name => csvField(name, delimiter)).join(delimiter)
  return `${isMarked ? '\ufeff' : ''}${line}${lineEnd}`
}
