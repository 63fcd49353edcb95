import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Test } from 'tap'
import { until } from './until.ts'

/** Debian installs proxies in folders that only root's PATH has. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`

export function isInstalled(command: string): boolean {
  return spawnSync(command, ['-v'], { env: { PATH } }).error === undefined
}

/** Runs a program until the test ends. Resolves when it listens on `port`. @throws Error when it ends before */
export async function startProgram(
  t: Test,
  command: string,
  args: readonly string[],
  port: number,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const child = spawn(command, args, { env: { PATH, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', chunk => (output += chunk))
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill()
    await exited
  })
  await until(() => {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}: ${output}`)
    return accepts(port)
  })
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await new Promise<boolean>(resolve =>
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false)),
  )
  socket.destroy()
  return isOpen
}
