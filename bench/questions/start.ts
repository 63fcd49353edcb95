/** How long from starting the process to its first answer? */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../http/setup.ts'
import { worldFile } from '../input/worlds.ts'
import { CLI_FILE, compiledFile } from '../paths.ts'
import { type Answer, measure, type Options, type Question } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { spreadOf } from '../statistics.ts'

const UNIT = 'ms'

export const start: Question = {
  name: 'start',
  text: 'process start to the first answer, against a bare Node process and against loading a Map',
  rivals: false,
  run: runStart,
}

async function runStart({ quick }: Options): Promise<Answer> {
  const indexFile = worldFile('world') as string
  const taken = await inTurn(
    {
      'bare Node.js HTTP server': () => started(port => ['-e', bareServer(port)], indexFile),
      'postrie, index of the world': () => started(() => [CLI_FILE, 'serve'], indexFile),
      'loading a Map of the same codes': () =>
        started(port => [compiledFile('./stores/map-start.ts'), String(port)], indexFile),
    },
    quick ? 1 : 9,
  )
  const [bare, ours] = ['bare Node.js HTTP server', 'postrie, index of the world'].map(name => taken[name].ms)
  return {
    measures: Object.entries(taken).map(([name, { ms }]) =>
      measure('process start to first answer', name, UNIT, ms),
    ),
    ratios: [
      {
        text: 'ms more than a bare Node process',
        value: spreadOf(ours.rounds.map((value, round) => value - bare.rounds[round])).median,
        wanted: '<= 300',
      },
    ],
    charts: [CHART],
    notes: ['The Map is made from the index file, which takes longer than reading a file of its own would.'],
  }
}

const CHART = {
  file: 'start',
  title: 'From process start to the first answer',
  description: 'Milliseconds, with the postal codes of the world.',
  unit: UNIT,
  lessIsBetter: true,
}

const bareServer = (port: number) =>
  `require('node:http').createServer((_, res) => res.end('{}')).listen(${port}, '127.0.0.1')`

/** Starts a server, asks it until it answers, ends it. @returns milliseconds to the answer */
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
  const ms = performance.now() - began
  server.kill('SIGTERM')
  await once(server, 'exit')
  rmSync(dir, { recursive: true, force: true })
  return { ms }
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/healthz`)).ok
  } catch {
    return false
  }
}
