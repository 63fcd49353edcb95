/** Each node adds its lines to the database, and the node with the dashboard takes those of the others, again if it has died meanwhile. */
import { UnavailableError } from './database-errors.ts'
import { AUDIT_LINES_PER_CALL, AUDIT_LINES_WAITING_MAX, FLEET_AUDIT_MS } from './fleet-bounds.ts'
import type { PostgresStore } from './postgres-store.ts'

export class SharedAudit {
  readonly #store: PostgresStore
  readonly #node: string
  readonly #onFail: (error: Error) => void
  #waiting: string[] = []
  /** Takes lines of other nodes, and resolves when they are on the disk. Null: this node does not ask for them. */
  #take: ((lines: readonly string[]) => Promise<void>) | null = null
  #running: Promise<void> | null = null
  readonly #timer: NodeJS.Timeout

  constructor(store: PostgresStore, node: string, onFail: (error: Error) => void) {
    this.#store = store
    this.#node = node
    this.#onFail = onFail
    this.#timer = setInterval(() => void this.#run(), FLEET_AUDIT_MS).unref()
  }

  /** Adds a line, in a moment. While the database is away lines wait; of too many the oldest are left out: the node's log has them. */
  add(line: string): void {
    this.#waiting.push(line)
    if (this.#waiting.length > AUDIT_LINES_WAITING_MAX) this.#waiting.shift()
  }

  follow(take: (lines: readonly string[]) => Promise<void>): void {
    this.#take = take
    void this.#run()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
    this.#take = null
    await this.#run()
  }

  #run(): Promise<void> {
    this.#running ??= this.#work()
      .catch((error: unknown) => {
        if (!(error instanceof UnavailableError))
          this.#onFail(error instanceof Error ? error : new Error(String(error)))
      })
      .finally(() => {
        this.#running = null
      })
    return this.#running
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting.splice(0, AUDIT_LINES_PER_CALL)
      try {
        await this.#store.addAudit(this.#node, lines)
      } catch (error) {
        this.#waiting.unshift(...lines)
        throw error
      }
    }
    for (;;) {
      const take = this.#take
      if (take === null) return
      const { lines, upto } = await this.#store.readAudit(this.#node, AUDIT_LINES_PER_CALL)
      if (lines.length === 0) return
      await take(lines)
      await this.#store.auditSeen(this.#node, upto)
    }
  }
}
