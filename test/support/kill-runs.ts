/** Kills ten test runs at random moments, then counts what they left: `node dist/test/support/kill-runs.js [seed]`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { seededRandom } from './random.ts'
import { until } from './until.ts'

const RUNS = 10
const LATEST_MS = 20_000
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const RUN = fileURLToPath(new URL('./run.js', import.meta.url))
const FILES =
  'billing/fleet/away billing/ledger/real-faults console/browser deploy/proxies postal/publication/full-disk'.split(
    ' ',
  )

const random = seededRandom(Number(process.argv[2] ?? 1))
const state = () => ({
  processes: readdirSync('/proc').filter(isOfRun).length,
  mounts: readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .filter(line => line.includes('postrie-test-')).length,
  folders: readdirSync(tmpdir()).filter(name => name.startsWith('postrie-test-')).length,
})

/** Returns true for a process that works in this checkout or in a folder of a run, but for this one. */
function isOfRun(pid: string): boolean {
  if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return command.includes(ROOT) || command.includes('postrie-test-')
  } catch {
    return false
  }
}

const before = state()
for (let i = 0; i < RUNS; i++) {
  const args = [RUN, ...FILES.map(file => `dist/test/${file}.test.js`)]
  const runner = spawn(process.execPath, args, { cwd: ROOT, stdio: 'ignore' })
  const killMs = random(LATEST_MS)
  await new Promise(resolve => setTimeout(resolve, killMs))
  const during = state()
  const signal = i % 2 === 0 ? 'SIGKILL' : 'SIGINT'
  const ended = once(runner, 'exit')
  runner.kill(signal)
  await ended
  const begin = performance.now()
  await until(() => state().processes === before.processes && state().folders === before.folders)
  const ms = Math.round(performance.now() - begin)
  console.log(JSON.stringify({ signal, killMs, during, after: state(), ms }))
}
