/**
 * Runs tap, and leaves nothing behind: `npm test`, or `npm test -- dist/test/billing/ledger/*.test.js`.
 *
 *   npm test ── run.js ── run.js guard ── tap ── tests ── servers, proxies, databases …
 *
 * 1. The runner makes a folder, which is TMPDIR of all tests, and starts the guard in a session of its own.
 * 2. The guard adopts orphans (PR_SET_CHILD_SUBREAPER), so all processes of the run stay below it, whatever becomes of their parents.
 * 3. tap ends, or the pipe from the runner closes: the runner was killed. The guard kills all processes below it, unmounts, and
 *    removes the folder.
 * 4. If the guard itself is killed, its orphans go to the runner, which adopts them too and does the same.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { missingPackages } from './programs.ts'

const SELF = fileURLToPath(import.meta.url)
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PR_SET_CHILD_SUBREAPER = 36
const PARENT_CHECK_MS = 500

type Exit = [code: number | null, signal: NodeJS.Signals | null]

const [, , role, ...files] = process.argv
adoptOrphans()
process.exitCode = role === 'guard' ? await guard(files) : await run(process.argv.slice(2))

/** Waits for the guard. @returns the exit code of the tests */
async function run(args: readonly string[]): Promise<number> {
  const folder = join(tmpdir(), `postrie-test-${randomUUID().slice(0, 8)}`)
  const guard = spawn(process.execPath, [SELF, 'guard', ...args], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: folder, POSTRIE_TEST_RUN: folder },
    // The terminal signals only the runner.
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  let interrupted = 0
  const interrupt = (code: number) => {
    interrupted = code
    guard.stdin.end()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => interrupt(128 + constants.signals[signal]))
  const parent = process.ppid
  // npm was killed.
  setInterval(() => process.ppid !== parent && interrupt(1), PARENT_CHECK_MS).unref()
  const [code] = (await once(guard, 'exit')) as Exit
  await leaveNothing(folder)
  return interrupted === 0 ? (code ?? 1) : interrupted
}

/** Runs tap until it ends or the runner is gone. @returns the exit code */
async function guard(args: readonly string[]): Promise<number> {
  const folder = tmpdir()
  // The user of PostgreSQL enters it.
  mkdirSync(folder, { mode: 0o711 })
  const plain = new URL('./plain-children.js', import.meta.url).href
  const tap = spawn(join(ROOT, 'node_modules/.bin/tap'), args.length > 0 ? args : allTests(), {
    env: { ...process.env, NODE_OPTIONS: `--import=${plain}` },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const gone = once(process.stdin.resume(), 'end').then((): Exit => [1, null])
  const [code] = await Promise.race([once(tap, 'exit') as Promise<Exit>, gone])
  const report = skipped(folder)
  await leaveNothing(folder)
  if (report !== '') console.log(report)
  process.stdin.destroy()
  return code ?? 1
}

/** Returns the compiled files of all tests that have a source: the compiler leaves those of tests that were moved. */
function allTests(): string[] {
  const names = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  return names
    .filter(name => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .sort()
    .map(name => join('dist/test', name.replace(/ts$/, 'js')))
}

/** Ends all processes below this one, then removes mounts and folders of the run. */
async function leaveNothing(folder: string): Promise<void> {
  for (let left = descendants(); left.length > 0; left = descendants()) {
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has just ended.
      }
    }
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  for (const mount of mounts.map(line => line.split(' ')[1] ?? '').filter(path => path.startsWith(folder)))
    spawnSync('umount', ['-l', mount])
  for (const path of [folder, join(ROOT, '.tap/fixtures')]) rmSync(path, { recursive: true, force: true })
}

/** Returns the running processes below this one. */
function descendants(): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      // `pid (name) state parent`, where the name may have spaces and brackets.
      const [state, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      if (state !== 'Z') parents.set(Number(name), Number(parent))
    } catch {
      // It has just ended.
    }
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid)
    return parent !== undefined && (parent === process.pid || isBelow(parent))
  }
  return [...parents.keys()].filter(isBelow)
}

function adoptOrphans(): void {
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi')
  koffi.load(null).func('int prctl(int option, unsigned long value)')(PR_SET_CHILD_SUBREAPER, 1)
}

/** Returns the last lines of a run: skipped files by missing program, and the command that installs all programs. */
function skipped(folder: string): string {
  const path = join(folder, 'skipped')
  if (!existsSync(path)) return ''
  const lines = [...new Set(readFileSync(path, 'utf8').trimEnd().split('\n'))].map(line => line.split(' '))
  const missing = [...new Set(lines.map(([program]) => program))].sort()
  const filesOf = (program: string) => lines.filter(([each]) => each === program).map(([, file]) => file)
  return [
    '',
    ...missing.map(program => `Skipped without ${program}: ${filesOf(program).sort().join(', ')}`),
    `To run all of them: apt-get install -y --no-install-recommends ${missingPackages()}`,
  ].join('\n')
}
