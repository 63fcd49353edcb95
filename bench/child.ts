/** Runs contenders in separate processes, so that they share no heap, garbage collector or caches. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { compiledFile } from './paths.ts'

/** Functions of a contender's process. Arguments and results travel as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: each handler has its own argument, with a type that the caller names
type Handlers = Readonly<Record<string, (argument: any) => unknown>>

interface Message {
  name: string
  value: unknown
}

/** Process of a contender, for the benchmark. */
export class Child {
  readonly #process: ChildProcess

  /** @param module file of this folder, such as `ledger-child.ts` */
  constructor(module: string, args: readonly string[]) {
    this.#process = fork(compiledFile(module), args)
  }

  /** Calls a handler of the process, one call at a time. @throws Error if the process ends */
  async call<T>(name: string, value: unknown = null): Promise<T> {
    this.#process.send({ name, value })
    const stop = new AbortController()
    const { signal } = stop
    const ended = once(this.#process, 'exit', { signal }).then(([code]) => {
      throw new Error(`the process that should answer ${name} ended with code ${code}`)
    })
    try {
      const [message] = await Promise.race([once(this.#process, 'message', { signal }), ended])
      return (message as Message).value as T
    } finally {
      stop.abort()
      ended.catch(() => {})
    }
  }

  async end(): Promise<void> {
    const ended = once(this.#process, 'exit')
    if (this.#process.exitCode === null && this.#process.kill()) await ended
  }
}

/** Answers the benchmark, in the contender's process. */
export function answerParent(handlers: Handlers): void {
  // A failed benchmark must not leave its contenders running.
  process.once('disconnect', () => process.exit())
  process.on('message', async ({ name, value }: Message) => {
    process.send?.({ name, value: (await handlers[name](value)) ?? null })
  })
}
