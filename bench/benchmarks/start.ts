/** Measures the time from process start to first answer. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Benchmark, measuresOf, type Options, type Result } from '../benchmark.ts'
import { worldFile } from '../input/worlds.ts'
import { inTurn, spreadOf } from '../measure.ts'
import { ROOT_FOLDER } from '../paths.ts'
import { cliFile, freePort, untilAnswering } from '../service.ts'

const MS = 'ms'
/** Pause between attempts, which limits the precision. */
const ATTEMPT_MS = 2
const BARE = 'bare Node.js HTTP server'
const OURS = 'postrie, index of the world'

export const start: Benchmark = {
  name: 'start',
  text: 'process start to the first answer, against a bare Node.js process',
  needsPackages: false,
  run: runStart,
}

async function runStart({ quick }: Options): Promise<Result> {
  const indexFile = worldFile('world')
  const taken = await inTurn(
    {
      [BARE]: () => measureStart(port => ['-e', bareServer(port)], indexFile),
      [OURS]: () => measureStart(() => [cliFile(ROOT_FOLDER), 'serve'], indexFile),
    },
    quick ? 1 : 9,
  )
  const extraMs = taken[OURS][MS].rounds.map((ms, round) => ms - taken[BARE][MS].rounds[round])
  return {
    measures: measuresOf('process start to first answer', taken),
    findings: [
      { text: 'ms more than bare Node.js', value: spreadOf(extraMs).median, wanted: { atMost: 400 } },
    ],
    notes: [],
  }
}

const bareServer = (port: number) =>
  `require('node:http').createServer((_, res) => res.end('{}')).listen(${port}, '127.0.0.1')`

/** Returns the ms from spawn to the first answer. */
async function measureStart(args: (port: number) => string[], indexFile: string) {
  const [port, controlPort] = [await freePort(), await freePort()]
  const dir = mkdtempSync(join(tmpdir(), 'postrie-bench-'))
  const settings = { PORT: String(port), CONTROL_PORT: String(controlPort), LOG_LEVEL: 'error' }
  const startMs = performance.now()
  const server = spawn(process.execPath, args(port), {
    env: { ...process.env, ...settings, DATA_DIR: dir, INDEX_FILE: indexFile },
    stdio: ['ignore', 'ignore', 2],
  })
  try {
    await untilAnswering(port, () => server.exitCode, ATTEMPT_MS)
    return { [MS]: performance.now() - startMs }
  } finally {
    const ended = once(server, 'exit')
    if (server.exitCode === null && server.kill()) await ended
    rmSync(dir, { recursive: true, force: true })
  }
}
