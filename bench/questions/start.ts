/** How long from starting the process to its first answer? */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { worldFile } from '../input/worlds.ts'
import { inTurn, spreadOf } from '../measure.ts'
import { ROOT_FOLDER } from '../paths.ts'
import { type Answer, measuresOf, type Options, type Question } from '../question.ts'
import { answering, cliFile, freePort } from '../service.ts'

const MS = 'ms'
const BARE = 'bare Node.js HTTP server'
const OURS = 'postrie, index of the world'

export const start: Question = {
  name: 'start',
  text: 'process start to the first answer, against a bare Node.js process',
  rivals: false,
  run: runStart,
}

async function runStart({ quick }: Options): Promise<Answer> {
  const indexFile = worldFile('world')
  const taken = await inTurn(
    {
      [BARE]: () => started(port => ['-e', bareServer(port)], indexFile),
      [OURS]: () => started(() => [cliFile(ROOT_FOLDER), 'serve'], indexFile),
    },
    quick ? 1 : 9,
  )
  const more = taken[OURS][MS].rounds.map((ms, round) => ms - taken[BARE][MS].rounds[round])
  return {
    measures: measuresOf('process start to first answer', taken),
    ratios: [{ text: 'ms more than bare Node.js', value: spreadOf(more).median, wanted: '<= 400' }],
    notes: [],
  }
}

const bareServer = (port: number) =>
  `require('node:http').createServer((_, res) => res.end('{}')).listen(${port}, '127.0.0.1')`

/** Starts a server, asks it until it answers, and ends it. */
async function started(args: (port: number) => string[], indexFile: string) {
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), 'postrie-bench-'))
  const settings = { PORT: String(port), CONTROL_PORT: String(await freePort()), LOG_LEVEL: 'error' }
  const began = performance.now()
  const server = spawn(process.execPath, args(port), {
    env: { ...process.env, ...settings, DATA_DIR: dir, INDEX_FILE: indexFile },
    stdio: ['ignore', 'ignore', 2],
  })
  await answering(port, () => server.exitCode, 2)
  const ms = performance.now() - began
  server.kill('SIGTERM')
  await once(server, 'exit')
  rmSync(dir, { recursive: true, force: true })
  return { [MS]: ms }
}
