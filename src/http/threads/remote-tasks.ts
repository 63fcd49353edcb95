/** The bulk workers as a server thread sees them: tasks go to the ledger thread, which owns the workers, and come back from it. */
import type { BulkResult } from '../../bulk/bulk-result.ts'
import type { BulkTask, BulkTasks } from '../../bulk/pool.ts'
import { CELL, type ProcessCounts } from '../counts.ts'
import type { FromThread, ToThread } from './messages.ts'

type Ended = Extract<ToThread, { kind: 'done' | 'undone' }>
type Post = (message: FromThread, transfer: readonly ArrayBuffer[]) => void

export class RemoteTasks implements BulkTasks {
  readonly #workers: number
  readonly #counts: ProcessCounts
  readonly #post: Post
  readonly #waiting = new Map<number, (ended: Ended) => void>()
  #last = 0

  constructor(workers: number, counts: ProcessCounts, post: Post) {
    this.#workers = workers
    this.#counts = counts
    this.#post = post
  }

  get waiting(): number {
    return Math.max(0, Atomics.load(this.#counts.cells, CELL.bulkTasks) - this.#workers)
  }

  run(work: BulkTask): Promise<BulkResult> {
    Atomics.add(this.#counts.cells, CELL.bulkTasks, 1)
    const task = ++this.#last
    return new Promise((resolve, reject) => {
      this.#waiting.set(task, ended => (ended.kind === 'done' ? resolve(ended.result) : reject(ended.error)))
      this.#post({ kind: 'task', task, work }, [work.body.buffer])
    })
  }

  ended(message: Ended): void {
    const end = this.#waiting.get(message.task)
    if (end === undefined) return
    this.#waiting.delete(message.task)
    Atomics.sub(this.#counts.cells, CELL.bulkTasks, 1)
    end(message)
  }
}
