/** Worker threads that charge accounts of this thread. */
import { MessageChannel, Worker } from 'node:worker_threads'
import type { Accounts } from '../../src/accounts/accounts.ts'
import type { Call, ClockCells, Flood, FloodAnswer } from './charging-worker.ts'

export class ChargingPool {
  readonly #workers: Worker[]
  readonly #waiting = new Map<number, (answer: unknown) => void>()
  #calls = 0

  constructor(threads: number) {
    this.#workers = Array.from({ length: threads }, () => {
      const worker = new Worker(new URL('./charging-worker.js', import.meta.url))
      worker.on('message', ({ id, answer }: { id: number; answer: unknown }) => {
        this.#waiting.get(id)?.(answer)
        this.#waiting.delete(id)
      })
      return worker
    })
  }

  get threads(): number {
    return this.#workers.length
  }

  /** @param clock a clock that tests move, or null for that of the machine */
  async attach(accounts: Accounts, clock: ClockCells | null = null): Promise<void> {
    await Promise.all(
      this.#workers.map((_, thread) => {
        const { port1, port2 } = new MessageChannel()
        return this.call(thread, { do: 'attach', share: accounts.attach(port1), port: port2, clock })
      }),
    )
  }

  call<Answer>(thread: number, call: Call): Promise<Answer> {
    const id = ++this.#calls
    const answer = new Promise<Answer>(resolve => this.#waiting.set(id, resolve as (answer: unknown) => void))
    this.#workers[thread].postMessage({ id, call }, call.do === 'attach' ? [call.port] : [])
    return answer
  }

  /** The same on every thread, with a seed of its own, and what all of them counted. */
  async flood(task: Omit<Flood, 'do'>): Promise<FloodAnswer[]> {
    return Promise.all(
      this.#workers.map((_, thread) => {
        return this.call<FloodAnswer>(thread, { ...task, do: 'flood', seed: task.seed * 100 + thread })
      }),
    )
  }

  async detach(): Promise<void> {
    await Promise.all(this.#workers.map((_, thread) => this.call(thread, { do: 'detach' })))
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map(worker => worker.terminate()))
  }
}
