/** Each node adds its lines to the database, and the node with the dashboard takes those of the others, again if it has died meanwhile. */
import { UnavailableError } from './database-errors.ts'
import { AUDIT_LINES_PER_CALL, AUDIT_LINES_WAITING_MAX, FLEET_AUDIT_MS } from './fleet-bounds.ts'
import type { PostgresStore } from './postgres-store.ts'

export function sharedAudit(store: PostgresStore, node: string, onFail: (error: Error) => void) {
  const waiting: string[] = []
  /** Takes lines of other nodes, and resolves when they are on the disk. Null: this node does not ask for them. */
  let taking: ((lines: readonly string[]) => Promise<void>) | null = null
  let running: Promise<void> | null = null

  const exchange = async (): Promise<void> => {
    while (waiting.length > 0) {
      const lines = waiting.splice(0, AUDIT_LINES_PER_CALL)
      try {
        await store.addAudit(node, lines)
      } catch (error) {
        waiting.unshift(...lines)
        throw error
      }
    }
    for (;;) {
      const take = taking
      if (take === null) return
      const { lines, upto } = await store.readAudit(node, AUDIT_LINES_PER_CALL)
      if (lines.length === 0) return
      await take(lines)
      await store.auditSeen(node, upto)
    }
  }
  const run = (): Promise<void> => {
    running ??= exchange()
      .catch((error: unknown) => {
        if (!(error instanceof UnavailableError))
          onFail(error instanceof Error ? error : new Error(String(error)))
      })
      .finally(() => {
        running = null
      })
    return running
  }
  const timer = setInterval(() => void run(), FLEET_AUDIT_MS).unref()

  return {
    /** Adds a line, in a moment. While the database is away lines wait; of too many the oldest are left out: the node's log has them. */
    add(line: string): void {
      waiting.push(line)
      if (waiting.length > AUDIT_LINES_WAITING_MAX) waiting.shift()
    },
    follow(take: (lines: readonly string[]) => Promise<void>): void {
      taking = take
      void run()
    },
    async close(): Promise<void> {
      clearInterval(timer)
      await running
      taking = null
      await run()
    },
  }
}
