/** Bulk workers on a server thread: tasks go to the ledger thread, which owns them, and results come back. */
import type { Made } from '../../workers/made.ts'
import type { WorkerTask, WorkerTasks } from '../../workers/workers.ts'
import { CELL, type ProcessCounts } from '../counts.ts'
import type { FromThread, ToThread } from './messages.ts'

type Ended = Extract<ToThread, { kind: 'taskDone' | 'taskFailed' }>
type Post = (message: FromThread, transfer: readonly ArrayBuffer[]) => void

export type RemoteTasks = ReturnType<typeof remoteTasks>

export function remoteTasks(workers: number, { cells }: ProcessCounts, post: Post) {
  const waiting = new Map<number, (ended: Ended) => void>()
  let last = 0
  return {
    get waiting(): number {
      return Math.max(0, Atomics.load(cells, CELL.workerTasks) - workers)
    },
    run(work: WorkerTask): Promise<Made> {
      Atomics.add(cells, CELL.workerTasks, 1)
      const task = ++last
      return new Promise((resolve, reject) => {
        waiting.set(task, ended => (ended.kind === 'taskDone' ? resolve(ended.result) : reject(ended.error)))
        post({ kind: 'task', task, work }, [work.body.buffer])
      })
    },
    ended(message: Ended): void {
      const end = waiting.get(message.task)
      if (end === undefined) return
      waiting.delete(message.task)
      Atomics.sub(cells, CELL.workerTasks, 1)
      end(message)
    },
  } satisfies WorkerTasks & { ended(message: Ended): void }
}
