/** A compiled checkout of postrie, driven by what stays the same between versions: commands, settings and answers. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EndpointName, freePort, PATHS } from '../http/setup.ts'
import { buildArguments, type World } from '../input/worlds.ts'

const EMAIL = 'bench@localhost'
const START_ATTEMPTS = 600
const ATTEMPT_MS = 100
/** Clock ticks a second in `/proc`, the same on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100

/** A running `postrie serve` with one account that can pay for every request of a run. */
export interface RunningService {
  readonly port: number
  readonly apiKey: string
  readonly pid: number
  /** Processor time of all its threads so far, in microseconds, exact to 10,000. Linux only. */
  cpuMicros(): number
  url(endpoint: EndpointName): string
  end(): Promise<void>
}

export class Checkout {
  readonly folder: string

  /** @throws Error when `folder` is not a compiled checkout */
  constructor(folder: string) {
    this.folder = folder
    if (!existsSync(this.cliFile)) {
      throw new Error(
        `${folder} is not a compiled checkout: ${this.cliFile} is missing; run npm ci && npm run compile there`,
      )
    }
  }

  /** Builds the index `world` with the builder of this checkout, unless that was done since the builder was compiled. */
  index(world: World): string {
    const cache = join(this.folder, 'data', 'bench')
    const path = join(cache, `versions-${world}.postrie`)
    if (existsSync(path) && statSync(path).mtimeMs > this.#compiledAt()) return path
    const args = buildArguments(world)
    if (args === undefined) throw new Error(`the data at hand has no world named ${world}`)
    mkdirSync(cache, { recursive: true })
    // The builder would compare the new index with this one, and refuse one that has less.
    rmSync(path, { force: true })
    this.#run(['build', ...args], { INDEX_FILE: path })
    return path
  }

  async serve(indexFile: string): Promise<RunningService> {
    const dir = mkdtempSync(join(tmpdir(), 'postrie-versions-'))
    const port = await freePort()
    const env = {
      PORT: String(port),
      CONTROL_PORT: String(await freePort()),
      DATA_DIR: dir,
      INDEX_FILE: indexFile,
      LOG_LEVEL: 'error',
      BULK_WORKERS: '1',
    }
    const child = spawn(process.execPath, [this.cliFile, 'serve'], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const end = async () => {
      const ended = once(child, 'exit')
      if (child.exitCode === null && child.kill()) await ended
      rmSync(dir, { recursive: true, force: true })
    }
    try {
      await answers(child, `http://127.0.0.1:${port}/api/lookup`)
      this.#run(['account', 'create', EMAIL], env)
      this.#run(['account', 'credit', EMAIL, '100000', '--reference', 'bench'], env)
      const { key } = JSON.parse(this.#run(['key', 'create', EMAIL, '--json'], env)) as { key: string }
      const url = (endpoint: EndpointName) => `http://127.0.0.1:${port}${PATHS[endpoint]}`
      return { port, apiKey: key, pid: child.pid ?? 0, cpuMicros: () => processorMicros(child.pid), url, end }
    } catch (error) {
      await end()
      throw error
    }
  }

  /** Asks one of this checkout's own benchmark questions, quickly and on the default data. Returns what it measured of postrie. */
  ask(question: string): Map<string, { unit: string; median: number }> {
    const out = execute(join(this.folder, 'dist', 'bench', 'run.js'), [question, '--quick', '--json'], {
      POSTRIE_BENCH_DATA: undefined,
    })
    const { measures } = JSON.parse(out) as {
      measures: { group: string; name: string; unit: string; median: number }[]
    }
    return new Map(
      measures
        .filter(({ name }) => name.startsWith('postrie'))
        .map(({ group, name, unit, median }) => [`${group}, ${name}, ${unit}`, { unit, median }]),
    )
  }

  /** When the newest file that an index depends on was compiled, in milliseconds since 1970. */
  #compiledAt(): number {
    const parts = ['build-index', 'datasets', join('src', 'text'), join('src', 'format')]
    const folders = parts.map(part => join(this.folder, 'dist', part)).filter(existsSync)
    const times = folders.flatMap(folder =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
        file => statSync(join(folder, file)).mtimeMs,
      ),
    )
    return Math.max(0, ...times)
  }

  /** What its users start: older versions have no bundle. */
  get cliFile(): string {
    const bundled = join(this.folder, 'dist', 'bundle', 'cli.js')
    return existsSync(bundled) ? bundled : join(this.folder, 'dist', 'src', 'cli.js')
  }

  #run(args: readonly string[], env: NodeJS.ProcessEnv): string {
    return execute(this.cliFile, args, env)
  }
}

function execute(file: string, args: readonly string[], env: NodeJS.ProcessEnv): string {
  const { status, stdout } = spawnSync(process.execPath, ['--max-old-space-size=8192', file, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}: see the output above`)
  return stdout
}

/** Resolves when `url` answers. @throws Error when the process ends or stays silent */
async function answers(child: ChildProcess, url: string): Promise<void> {
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    if (child.exitCode !== null)
      throw new Error(`the service ended with ${child.exitCode} instead of answering`)
    const isUp = await fetch(url).then(
      response => response.ok,
      () => false,
    )
    if (isUp) return
    await sleep(ATTEMPT_MS)
  }
  throw new Error(`${url} did not answer within ${(START_ATTEMPTS * ATTEMPT_MS) / 1000} s`)
}

/** User and system time of a process: fields 14 and 15 of `/proc/<pid>/stat`, counted after the command in brackets. */
function processorMicros(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6
}
