/**
 * Checks the postal codes of a file with an index or a service.
 *
 *   input -> whole records -> threads, or batches of a client -> results in order -> output
 *                                                                  `-> progress file, about once a second
 */

import { isUtf8 } from 'node:buffer'
import { createReadStream, existsSync } from 'node:fs'
import { closeAll } from '../../platform/promises.ts'
import { inOrder } from '../client/in-order.ts'
import { csvField, latin1Of } from './csv-reader.ts'
import { elementsOf, formatOf, openInput, PieceReader, type Position, peek } from './input.ts'
import { InputError } from './input-error.ts'
import { type CheckedPiece, encodingFault } from './input-records.ts'
import { type CheckPlan, type CheckRequest, fieldNames, planOf, RESULT_COLUMNS } from './plan.ts'
import { identify, type Progress, type ProgressFile, progressFile } from './progress-file.ts'
import { hasContent, isFile, isSameFile, openFile, openStream, type Results } from './results-file.ts'
import { addCounts, type Counts, noCounts } from './summary.ts'

interface CheckJob {
  request: CheckRequest
  /** Path, or `-` for standard input. */
  input: string
  encoding: string | undefined
  /** Path, `-` for standard output, or undefined for no results. */
  output: string | undefined
  overwrites: boolean
  resumes: boolean
  checker: CheckerOptions
  /** Called with a guess of the plan that may be wrong. */
  onNote: (note: string) => void
  onProgress: (counts: Counts) => void
  /** Ends the check after the pieces in progress. */
  signal: AbortSignal
}

export interface CheckerOptions {
  pieceBytes?: number
  /** Build of the index, or address of the service, for the progress file. */
  build: string
  open(plan: CheckPlan): Checker
}

interface Checker {
  concurrency: number
  check(piece: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<CheckedPiece>
  close(): Promise<void>
}

export interface CheckReport {
  counts: Counts
  /** False if the signal ended the check before the end of the input. */
  isComplete: boolean
}

/** First line of some spreadsheets, which names the delimiter. */
const SEPARATOR = /^sep=([,;|\t])$/i
/** Milliseconds between two writes of the progress file. Each write waits for the disk. */
const SAVE_MS = 1000

/**
 * Runs a job to its end, or until its signal. After an error, a later run can continue after the results.
 * @returns undefined for a job to resume that is complete already @throws InputError, Error
 */
export async function runCheck(job: CheckJob): Promise<CheckReport | undefined> {
  try {
    return await runJob(job)
  } catch (error) {
    const failure = error as NodeJS.ErrnoException
    if (error instanceof InputError) error.message = `${nameOf(job.input)}: ${error.message}`
    // The system names no file in an error of a read.
    else if (failure.syscall === 'read') failure.path ??= nameOf(job.input)
    throw error
  }
}

export function nameOf(input: string): string {
  return input === '-' ? 'standard input' : input
}

async function runJob(job: CheckJob): Promise<CheckReport | undefined> {
  const { input, request, checker: options } = job
  const opened = await openInput(input, job.encoding)
  const [start, utf8] = await peek(opened.utf8)
  const format = request.from ?? formatOf(start)
  const from = format === 'json' ? 'ndjson' : format
  const reader = new PieceReader(format === 'json' ? elementsOf(utf8) : utf8, from, options.pieceBytes)
  const parts: { close(): Promise<void> }[] = [reader]
  let progress: ProgressFile | undefined
  let report: CheckReport
  try {
    const { first, separator } = await findFirst(reader)
    const wanted = { ...request, delimiter: request.delimiter ?? separator }
    const plan = planOf(wanted, from, first.line, first.lineEnd, job.onNote)
    reader.delimiter = plan.delimiter
    if (plan.from === 'csv') await reader.skipTo(reader.position.inputEnd + first.bytes)
    const header = headerOf(plan, opened.isMarked)
    const file = await outputFile(job)
    // Only files can be resumed.
    if (file !== undefined && input !== '-')
      progress = progressFile(file, identify(input, plan, options.build, job.encoding))
    const saved = job.resumes ? await progress?.read() : undefined
    if (job.resumes && saved === undefined && (await isComplete(file, plan, header))) return undefined
    const begun = saved ?? { ...reader.position, outputEnd: 0, counts: noCounts() }
    if (file !== undefined && saved === undefined) {
      if (!job.overwrites && (await hasContent(file))) throw new Error(existsMessage(file))
      // Before the first result, so that a check killed at once can be resumed.
      await progress?.write(begun)
    }
    const results = file === undefined ? await openStream(job.output) : await openFile(file, begun.outputEnd)
    parts.unshift(results)
    const checker = options.open(plan)
    parts.unshift(checker)
    await reader.skipTo(begun.inputEnd)
    if (reader.position.inputCrc !== begun.inputCrc)
      throw new InputError('its checked part has changed: begin again with --overwrite')
    report = await checkPieces({ job, reader, checker, results, progress, begun, header })
  } finally {
    await closeAll(...parts.map(each => () => each.close()))
  }
  // Last, so that a check killed before can be resumed.
  if (report.isComplete) await progress?.remove()
  return report
}

/** Finds the header or the first record, after empty lines and the line that names the delimiter. */
async function findFirst(reader: PieceReader) {
  let separator: string | undefined
  for (;;) {
    const first = await reader.firstLine()
    if (first === undefined) throw new InputError('the input is empty')
    const named = separator === undefined ? SEPARATOR.exec(first.line.toString())?.[1] : undefined
    if (named !== undefined) separator = named
    else if (first.line.toString().trim() !== '') {
      if (!isUtf8(first.line)) throw new InputError(encodingFault(latin1Of(first.line)))
      return { first, separator }
    }
    await reader.skipTo(reader.position.inputEnd + first.bytes)
  }
}

interface Run {
  job: CheckJob
  reader: PieceReader
  checker: Checker
  results: Results
  progress: ProgressFile | undefined
  begun: Progress
  header: string
}

async function checkPieces(run: Run): Promise<CheckReport> {
  const { job, reader, checker, results, progress, begun, header } = run
  const { counts } = begun
  let { outputEnd } = begun
  let position: Position = begun
  let savedMs = performance.now()
  const write = async (bytes: Uint8Array) => {
    await results.write(bytes)
    outputEnd += bytes.length
  }
  const save = async () => {
    await results.sync()
    await progress?.write({ ...position, outputEnd, counts })
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
      position = end
      job.onProgress(counts)
      if (progress !== undefined && performance.now() - savedMs > SAVE_MS) await save()
    }
  } catch (error) {
    // The first error matters, not another one from writing the progress.
    await save().catch(() => {})
    throw error
  }
  const isComplete = !job.signal.aborted
  await save()
  return { counts, isComplete }
}

async function* untilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    if (signal.aborted) return
    yield item
  }
}

/** Returns the path of the output; undefined for a stream or none. @throws Error if it cannot be written to */
async function outputFile({ input, output, resumes }: CheckJob): Promise<string | undefined> {
  if (output === undefined || output === '-') return undefined
  if (input !== '-' && (await isSameFile(input, output)))
    throw new Error(`${output} is the input: name another output`)
  if (await isFile(output)) return output
  if (resumes) throw new Error(`${output} is not a file, so a check cannot be resumed there: omit --resume`)
  return undefined
}

function existsMessage(output: string): string {
  const remedy = existsSync(`${output}.progress`)
    ? ': continue it with --resume, or replace it with --overwrite'
    : `, without the file ${output}.progress of a check that was interrupted: replace it with --overwrite`
  return `${output} exists already${remedy}`
}

/** True if `output` begins like the results of this plan. A check that did not end has a progress file. */
async function isComplete(output: string | undefined, plan: CheckPlan, header: string): Promise<boolean> {
  if (output === undefined || !(await hasContent(output))) return false
  const reader = new PieceReader(createReadStream(output), plan.to)
  try {
    const { line = Buffer.alloc(0) } = (await reader.firstLine()) ?? {}
    if (plan.to === 'csv') return line.toString() === header.trimEnd()
    const names = fieldNames(line)
    return RESULT_COLUMNS.every(name => name === 'detail' || names.includes(plan.prefix + name))
  } catch (error) {
    if (error instanceof InputError) return false
    throw error
  } finally {
    await reader.close()
  }
}

/** Returns the first line of a table. Spreadsheets wrote some with a byte order mark, and need it again. */
function headerOf(plan: CheckPlan, isMarked: boolean): string {
  if (plan.to === 'ndjson') return ''
  const { columns, added, delimiter, lineEnd } = plan
  const line = [...columns, ...added].map(name => csvField(name, delimiter)).join(delimiter)
  return `${isMarked ? '\ufeff' : ''}${line}${lineEnd}`
}
