/** Work that one thread has another one do: validating a large batch, listing the codes of a large city. */
import type { BulkResult } from './bulk-result.ts'
import type { BulkTask, ListTask } from './worker.ts'

export type Task = BulkTask | ListTask
export type TaskResult = BulkResult | Uint8Array

/** Does tasks on other threads. */
export interface BulkTasks {
  /** Tasks that wait for a worker, of all who share the workers. */
  readonly waiting: number
  /** Buffers of answers that are worth keeping for the next ones. */
  readonly sparesMax: number
  /** Does one task. The buffers of its body and its spare are moved away. @throws what the task threw */
  run(task: Task): Promise<TaskResult>
  /** Finishes the tasks that have begun. */
  close(): Promise<void>
}

/** What is moved with a task. */
export function buffersOf(task: Task): ArrayBuffer[] {
  if ('query' in task) return []
  const body = task.body.buffer as ArrayBuffer
  return task.spare === undefined ? [body] : [body, task.spare]
}

/** What is moved with the result of a task. */
export function buffersOfResult(result: TaskResult): ArrayBuffer[] {
  if (result instanceof Uint8Array) return [result.buffer as ArrayBuffer]
  return result.error === null ? [result.bytes.buffer as ArrayBuffer] : []
}
