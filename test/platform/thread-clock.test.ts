/** All threads have one clock, also one that was stopped while it started. */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const STOPPED_MS = 200

t.test('a thread that was stopped between two readings of a clock has the time of the others', async t => {
  if (process.platform !== 'linux') return t.comment('needs /proc')
  const child = spawn(process.execPath, [fileURLToPath(new URL('thread-clock-child.js', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let printed = ''
  child.stdout.on('data', text => {
    printed += text
  })
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  let stops = 0
  while (child.exitCode === null && child.signalCode === null) {
    if (await isStopped(child.pid ?? 0)) {
      stops++
      await wait(STOPPED_MS)
      child.kill('SIGCONT')
    }
    await wait(10)
  }
  t.equal(await ended, 0)
  t.ok(stops > 0, `stopped ${stops} times`)
  t.ok(Number.parseFloat(printed) < 1, `off by ${printed.trim()} ms`)
})

/** The state follows the name, which is in parentheses. */
async function isStopped(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')
}
