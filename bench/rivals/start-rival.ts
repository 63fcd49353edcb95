/** Starts a rival in separate processes, and compares its answers with postrie's. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { compiledFile } from '../paths.ts'
import { freePort, type Loadable, processorMicros, untilAnswering } from '../service.ts'
import { API_KEY } from './lookup.ts'
import type { RivalSetup } from './servers.ts'

export async function startRival(setup: Omit<RivalSetup, 'port'> & { processes: number }): Promise<Loadable> {
  const port = await freePort()
  const file = compiledFile('./rivals/rival-process.ts')
  const argument = JSON.stringify({ ...setup, port })
  const child = spawn(process.execPath, ['--max-old-space-size=8192', file, argument], {
    stdio: ['ignore', 2, 2],
  })
  const pid = child.pid ?? 0
  const end = async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    for (const one of [...childrenOf(pid), pid]) process.kill(one)
    await ended
  }
  try {
    await untilAnswering(port, () => child.exitCode)
  } catch (error) {
    await end()
    throw error
  }
  return {
    port,
    apiKey: API_KEY,
    cpuMicros: () => [pid, ...childrenOf(pid)].reduce((sum, one) => sum + processorMicros(one), 0),
    end,
  }
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
  return text.split(' ').filter(Boolean).map(Number)
}

/** Sends a body, with the key in place of `@KEY@`. Returns the answer. */
export async function post(server: Loadable, body: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${server.port}/api/lookup`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: body.replace('@KEY@', server.apiKey),
  })
  return await response.text()
}

/** @throws Error if answers differ in anything but times and balance */
export async function expectEqualAnswers(postrie: Loadable, rival: Loadable, bodies: readonly string[]) {
  for (const body of bodies) {
    const answers = await Promise.all([postrie, rival].map(server => post(server, body)))
    const [ours, theirs] = answers.map(text => {
      const { performance, balance, ...rest } = JSON.parse(text) as Record<string, unknown>
      return rest
    })
    if (!isDeepStrictEqual(ours, theirs))
      throw new Error(`a rival answers ${body} with ${answers[1]}, postrie with ${answers[0]}`)
  }
}
