/** How long from starting the process to its first answer? */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../http/setup.ts'
import { worldFile } from '../input/worlds.ts'
import { CLI_FILE, compiledFile } from '../paths.ts'
import { type Answer, measure, type Options, type Question, type Ratio } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { spreadOf } from '../statistics.ts'
import { Checkout } from '../versions/checkout.ts'

const WALL = 'ms'
const PROCESSOR = 'ms of processor time'
const BARE = 'bare Node.js HTTP server'
const OURS = 'postrie, index of the world'
const THAT = 'the other checkout'
/** Between two attempts. Without a pause, whoever asks would take half of two cores from what is starting. */
const PAUSE_MS = 2

export const start: Question = {
  name: 'start',
  text: 'process start to the first answer, against a bare Node process, and loading a Map or the checkout that --against names',
  rivals: false,
  run: runStart,
}

async function runStart({ quick, against }: Options): Promise<Answer> {
  const indexFile = worldFile('world') as string
  const that = against === undefined ? undefined : new Checkout(against)
  const thatIndex = that?.index('world') ?? ''
  const others: Record<string, () => ReturnType<typeof started>> =
    that === undefined
      ? {
          'loading a Map of the same codes': () =>
            started(port => [compiledFile('./stores/map-start.ts'), String(port)], indexFile),
        }
      : { [THAT]: () => started(() => [that.cliFile, 'serve'], thatIndex) }
  const taken = await inTurn(
    {
      [BARE]: () => started(port => ['-e', bareServer(port)], indexFile),
      [OURS]: () => started(() => [CLI_FILE, 'serve'], indexFile),
      ...others,
    },
    quick ? 1 : 9,
  )
  const more = (name: string, unit: typeof WALL | typeof PROCESSOR, than: string): number =>
    spreadOf(taken[name][unit].rounds.map((value, round) => value - taken[than][unit].rounds[round])).median
  const ratios: Ratio[] = [
    { text: 'ms more than a bare Node process', value: more(OURS, WALL, BARE), wanted: '<= 350' },
    { text: 'ms of processor time more than a bare Node process', value: more(OURS, PROCESSOR, BARE) },
  ]
  if (that !== undefined)
    ratios.push(
      { text: 'ms more than the other checkout', value: more(OURS, WALL, THAT), wanted: '<= 0' },
      { text: 'ms of processor time more than the other checkout', value: more(OURS, PROCESSOR, THAT) },
    )
  return {
    measures: Object.entries(taken).flatMap(([name, spreads]) =>
      [WALL, PROCESSOR].map(unit =>
        measure('process start to first answer', name, unit, spreads[unit as typeof WALL]),
      ),
    ),
    ratios,
    charts: [CHART],
    notes: ['The Map is made from the index file, which takes longer than reading a file of its own would.'],
  }
}

const CHART = {
  file: 'start',
  title: 'From process start to the first answer',
  description: 'Milliseconds, with the postal codes of the world.',
  unit: WALL,
  lessIsBetter: true,
}

const bareServer = (port: number) =>
  `require('node:http').createServer((_, res) => res.end('{}')).listen(${port}, '127.0.0.1')`

/** Starts a server, asks it until it answers, ends it. @returns milliseconds to the answer, and those that its threads have run */
async function started(args: (port: number) => string[], indexFile: string) {
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), 'postrie-bench-'))
  const ports = { PORT: String(port), CONTROL_PORT: '0', LOG_LEVEL: 'error' }
  const began = performance.now()
  const server = spawn(process.execPath, args(port), {
    env: { ...process.env, ...ports, DATA_DIR: dir, INDEX_FILE: indexFile },
    stdio: ['ignore', 'ignore', 2],
  })
  while (!(await answers(port)))
    if (server.exitCode !== null) throw new Error('the server ended before it answered')
    else await sleep(PAUSE_MS)
  const ms = performance.now() - began
  const ranMs = processorMs(server.pid)
  server.kill('SIGTERM')
  await once(server, 'exit')
  rmSync(dir, { recursive: true, force: true })
  return { [WALL]: ms, [PROCESSOR]: ranMs }
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/healthz`)).ok
  } catch {
    return false
  }
}

/** Processor time of the threads that a process has at this moment, to the nanosecond. Linux only; 0 elsewhere. */
function processorMs(pid: number | undefined): number {
  const tasks = `/proc/${pid}/task`
  if (!existsSync(tasks)) return 0
  const nanos = readdirSync(tasks).map(task =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanos.reduce((sum, ran) => sum + ran, 0) / 1e6
}
