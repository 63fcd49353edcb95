/** Upgrades under load: how long nothing is answered while a server is stopped and the next one started on the same ports. */
import { Agent, request } from 'node:http'
import { writeIndex } from '../support/fixture-index.ts'
import { freePort } from '../support/free-port.ts'
import { postrieJson, startServer, type TestServer } from '../support/processes.ts'
import { until } from '../support/until.ts'

const CLIENTS = 4
const RETRY_MS = 5

export interface Gaps {
  /** The longest time between two answers around each upgrade, in milliseconds, ascending. */
  gapsMs: number[]
  /** Answers 200 of the whole run. */
  answered: number
  /** Requests that were sent and got another answer, or none. Refused connections are not among them: those lost nothing. */
  failed: string[]
}

/** Stops and starts a server on `dir` so many times, while clients ask it as fast as they can. */
export async function measureUpgrades(dir: string, upgrades: number): Promise<Gaps> {
  writeIndex(dir)
  const ports = { PORT: String(await freePort()), CONTROL_PORT: String(await freePort()) }
  let server = await startServer(dir, ports)
  const { api, key } = server
  await postrieJson(dir, ['account', 'credit', 'demo', '1000', '--reference', 'upgrades'])
  const body = JSON.stringify({ apiKey: key, zipcode: '90210' })
  const failed: string[] = []
  const gapsMs: number[] = []
  let answered = 0
  let latestMs = performance.now()
  let longestMs = 0
  let isRunning = true
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (isRunning) {
      const outcome = await ask(`${api}/api/lookup`, body, agent)
      if (outcome === 'refused') await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      else if (outcome === '200') {
        const nowMs = performance.now()
        longestMs = Math.max(longestMs, nowMs - latestMs)
        latestMs = nowMs
        answered++
      } else failed.push(outcome)
    }
    agent.destroy()
  }
  const clients = Array.from({ length: CLIENTS }, client)
  try {
    for (let upgrade = 0; upgrade < upgrades; upgrade++) {
      await answers(() => answered)
      longestMs = 0
      server = await next(server, dir, ports)
      await answers(() => answered)
      gapsMs.push(longestMs)
    }
  } finally {
    isRunning = false
    await Promise.all(clients)
    await server.stop()
  }
  return { gapsMs: gapsMs.sort((a, b) => a - b), answered, failed }
}

async function next(server: TestServer, dir: string, ports: NodeJS.ProcessEnv): Promise<TestServer> {
  const code = await server.stop()
  if (code !== 0) throw new Error(`the server ended with ${code}: ${server.output.stderr}`)
  return startServer(dir, ports)
}

/** Resolves when some more requests have been answered. @throws Error when that takes longer than `until` waits */
async function answers(count: () => number): Promise<void> {
  const wanted = count() + 50
  await until(() => count() >= wanted)
}

/** The status, `refused` when nobody listened, or what broke after the request may have been read. */
function ask(url: string, body: string, agent: Agent): Promise<string> {
  return new Promise(resolve => {
    const outgoing = request(
      url,
      { method: 'POST', agent, headers: { 'Content-Type': 'application/json' } },
      answer => {
        answer.resume()
        answer.on('end', () => resolve(String(answer.statusCode)))
        answer.on('error', error => resolve(error.message))
      },
    )
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // A kept connection that was closed before this request reached it is the same as one that was refused.
      const isLost = error.code === 'ECONNREFUSED' || (outgoing.reusedSocket && error.code === 'ECONNRESET')
      resolve(isLost ? 'refused' : `${error.code}: ${error.message}`)
    })
    outgoing.end(body)
  })
}
