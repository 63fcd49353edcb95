/**
 * Programs of the system that tests drive. A test asks for them here and is skipped without them: `{ skip: without('nginx') }`.
 * `node dist/test/support/programs.js` prints the Debian packages that this machine lacks.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, appendFileSync, constants, existsSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { until } from './until.ts'

/** Debian's package of each program. */
const PROGRAMS = {
  caddy: 'caddy',
  'chromium-headless-shell': 'chromium-headless-shell',
  curl: 'curl',
  haproxy: 'haproxy',
  mount: 'mount',
  nginx: 'nginx-light',
  openssl: 'openssl',
  postgres: 'postgresql',
  promtool: 'prometheus',
  python3: 'python3-minimal',
  strace: 'strace',
  'systemd-analyze': 'systemd',
} as const

export type Program = keyof typeof PROGRAMS

const POSTGRES = '/usr/lib/postgresql'
/** Folders outside most users' PATH. `deploy/try-bare` has none. */
const FOLDERS =
  process.env.PROGRAM_FOLDERS ?? ['/usr/sbin', '/usr/local/sbin', ...postgresFolders()].join(':')
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const asked = new Set<Program>()

/** Returns false if all programs are here, or the reason to skip a test. The runner repeats it at the end. */
export function without(...programs: readonly Program[]): string | false {
  for (const program of programs) asked.add(program)
  const missing = programs.filter(program => findProgram(program) === undefined)
  for (const program of missing) note(program)
  return missing.length > 0 && `${missing.join(', ')} is not installed`
}

/** Ends this test file, skipped, if a program is missing. Call it before the first test. */
export function skipFileWithout(...programs: readonly Program[]): void {
  const reason = without(...programs)
  if (reason === false) return
  console.log(`1..0 # SKIP ${reason}`)
  process.exit(0)
}

/** Returns the path of a program. @throws Error when the test has not asked for it, on every machine */
export function pathOf(program: Program): string {
  if (!asked.has(program)) throw new Error(`ask for ${program} first: { skip: without('${program}') }`)
  const path = findProgram(program)
  if (path === undefined) throw new Error(`${program} is not installed`)
  return path
}

/** Runs a program until the test ends. Resolves when it listens on `port`. @throws Error when it ends before */
export async function startProgram(
  t: Test,
  program: Program,
  args: readonly string[],
  port: number,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const child = spawn(pathOf(program), args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', chunk => (output += chunk))
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill()
    await exited
  })
  await until(() => {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${output}`)
    return accepts(port)
  })
}

/** Returns false if strace works, or the reason to skip a test: a container may refuse ptrace. */
export function withoutTracing(): string | false {
  const missing = without('strace')
  if (missing !== false) return missing
  return spawnSync(pathOf('strace'), ['-o', '/dev/null', 'true']).status !== 0 && 'the kernel refuses ptrace'
}

/** Tells the runner which file lacks a program. */
function note(program: Program): void {
  const run = process.env.POSTRIE_TEST_RUN
  const file = relative(join(ROOT, 'dist'), process.argv[1] ?? '').replace(/\.js$/, '.ts')
  if (run !== undefined) appendFileSync(join(run, 'skipped'), `${program} ${file}\n`)
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await new Promise<boolean>(resolve =>
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false)),
  )
  socket.destroy()
  return isOpen
}

/** Returns the path of a program; undefined where it is not installed. */
function findProgram(program: string): string | undefined {
  const folders = `${process.env.PATH}:${FOLDERS}`.split(':').filter(folder => folder !== '')
  return folders.map(folder => join(folder, program)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns the newest first. */
function postgresFolders(): string[] {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES) : []
  return versions.toSorted((a, b) => Number(b) - Number(a)).map(version => join(POSTGRES, version, 'bin'))
}

/** Returns the Debian packages of all programs that this machine lacks, divided by spaces. */
export function missingPackages(): string {
  const missing = Object.entries(PROGRAMS).filter(([program]) => findProgram(program) === undefined)
  return missing.map(([, name]) => name).join(' ')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(missingPackages())
