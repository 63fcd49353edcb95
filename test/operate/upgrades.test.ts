/** In an upgrade, the old server drains and the next one takes over its ports. */

import { Agent, request } from 'node:http'
import t from 'tap'
import { freePort } from '../../bench/service.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { postrieJson, startServer } from '../support/processes.ts'
import { until } from '../support/until.ts'

const UPGRADES = Number(process.env.UPGRADES ?? 1)

const TIMEOUT_MS = 30_000 + UPGRADES * 15_000

t.test('requests in flight are answered before a server stops', { timeout: TIMEOUT_MS }, async t => {
  const dir = t.testdir()
  writeIndex(dir)
  const ports = { PORT: String(await freePort()), CONTROL_PORT: String(await freePort()) }
  let server = await startServer(dir, ports)
  t.teardown(() => server.child.kill('SIGKILL'))
  await postrieJson(dir, ['account', 'credit', 'demo', '1000', '--reference', 'upgrades'])
  const load = new Load(server.api, server.key)
  for (let upgrade = 0; upgrade < UPGRADES; upgrade++) {
    await load.more()
    t.equal(await server.stop(), 0)
    server = await startServer(dir, ports)
    await load.more()
  }
  await load.stop()
  t.same(load.failed, [])
  t.equal(await server.stop(), 0)
})

const CLIENTS = 4
const RETRY_MS = 5
/** Time limit of a request: longer than any stop or start. */
const ANSWER_MS_MAX = 15_000
/** Failures after which the server is broken. */
const FAILURES_MAX = 20

class Load {
  answered = 0
  /** Sent requests without a 200. A refused connection does not count: its request was not sent. */
  readonly failed: string[] = []
  #isRunning = true
  readonly #clients: Promise<void>[]

  /** Looks a code up at `api` with `key` until `stop`. */
  constructor(api: string, key: string) {
    const body = JSON.stringify({ apiKey: key, zipcode: '90210' })
    this.#clients = Array.from({ length: CLIENTS }, () => this.#client(`${api}/api/lookup`, body))
  }

  /** Resolves when more requests have been answered. @throws Error after the time limit of `until` */
  async more(): Promise<void> {
    const wanted = this.answered + 50
    await until(() => this.answered >= wanted || this.failed.length > 0)
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    await Promise.all(this.#clients)
  }

  async #client(url: string, body: string): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (this.#isRunning && this.failed.length < FAILURES_MAX) {
      const outcome = await ask(url, body, agent)
      if (outcome === 'refused') await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      else if (outcome === '200') this.answered++
      else this.failed.push(outcome)
    }
    agent.destroy()
  }
}

/** Returns the status, `refused`, or the error of a request that may have been read. */
function ask(url: string, body: string, agent: Agent): Promise<string> {
  return new Promise(resolve => {
    const headers = { 'Content-Type': 'application/json' }
    const signal = AbortSignal.timeout(ANSWER_MS_MAX)
    const outgoing = request(url, { method: 'POST', agent, headers, signal }, answer => {
      answer.resume()
      answer.on('end', () => resolve(String(answer.statusCode)))
      answer.on('error', error => resolve(error.message))
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // A kept connection that closes before the request arrives counts as refused.
      const isLost = error.code === 'ECONNREFUSED' || (outgoing.reusedSocket && error.code === 'ECONNRESET')
      resolve(isLost ? 'refused' : `${error.code}: ${error.message}`)
    })
    outgoing.end(body)
  })
}
