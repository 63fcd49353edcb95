/**
 * A rival in several processes on one port, as Node.js programs use several cores: `node:cluster` accepts the connections and hands
 * them round; uWebSockets.js listens in each process, and the kernel spreads them. Each process has its own data and its own
 * balances, so that an account can spend its money once in each.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { compiledFile } from '../paths.ts'
import type { Running, Setup, Started } from './setup.ts'

/** @param name of a server @param setup with the number of processes, 2 or more */
export async function startClustered(name: string, setup: Setup): Promise<Running> {
  const exec = compiledFile('./http/cluster-child.ts')
  cluster.setupPrimary({ exec, args: [name, JSON.stringify(setup)], execArgv: [] })
  const workers = Array.from({ length: setup.processes ?? 1 }, () => cluster.fork())
  const [started] = await Promise.all(workers.map(worker => nextMessage<Started>(worker)))
  return {
    ...started,
    async cpuMicros() {
      const used = workers.map(worker => {
        const answer = nextMessage<number>(worker)
        worker.send('processor time')
        return answer
      })
      return (await Promise.all(used)).reduce((sum, micros) => sum + micros, 0)
    },
  }
}

/** @throws Error when the process ends instead */
async function nextMessage<T>(worker: Worker): Promise<T> {
  const stop = new AbortController()
  const { signal } = stop
  const ended = once(worker, 'exit', { signal }).then(([code]) => {
    throw new Error(`a process of the cluster ended with code ${code}`)
  })
  try {
    const [message] = await Promise.race([once(worker, 'message', { signal }), ended])
    return message as T
  } finally {
    stop.abort()
    ended.catch(() => {})
  }
}
