/** Rebuilding the index and taking it over, one at a time, on an operator's wish. */
import type { Dashboard } from '../shell/dashboard.ts'

export interface WorkState {
  isRunning: boolean
  text: string
  /** When it began, or ended; null: not since the start. */
  sinceMs: number | null
}

export class IndexWork {
  readonly #dashboard: Pick<Dashboard, 'dataPlane' | 'rebuild' | 'log'>
  #state: WorkState = { isRunning: false, text: 'has not run since the start', sinceMs: null }

  constructor(dashboard: Pick<Dashboard, 'dataPlane' | 'rebuild' | 'log'>) {
    this.#dashboard = dashboard
  }

  get state(): WorkState {
    return this.#state
  }

  /** Takes over the index file as it is now. Resolves with a sentence for the page. */
  async reload(): Promise<string> {
    const reload = await this.#dashboard.dataPlane.reload?.()
    if (reload === undefined) return 'Nothing was changed: no index is served.'
    switch (reload.outcome) {
      case 'replaced':
        return `The index ${reload.buildId} is served now.`
      case 'same':
        return 'Nothing was changed: this build is served already.'
      case 'refused':
        return `Nothing was changed, the file cannot be used: ${reload.problem ?? 'see the log'}`
      default:
        return reload.outcome satisfies never
    }
  }

  /** Begins a rebuild, unless one is running. The server takes the new file over by itself. Returns a sentence for the page. */
  rebuild(): string {
    const { rebuild } = this.#dashboard
    if (rebuild === null) return 'Nothing was changed: there is no builder here.'
    if (this.#state.isRunning) return 'Nothing was changed: a rebuild is running.'
    this.#set(true, 'running')
    void this.#run(rebuild)
    return 'The rebuild has begun. Reload this page in a minute.'
  }

  async #run(rebuild: () => Promise<number>): Promise<void> {
    try {
      const code = await rebuild()
      const failed = `failed with exit code ${code}, the old index is still served: the log has the reason`
      this.#set(false, code === 0 ? 'finished' : failed)
    } catch (err) {
      this.#dashboard.log.error({ err }, 'the index builder could not be started')
      this.#set(false, 'could not be started: the log has the reason')
    }
  }

  #set(isRunning: boolean, text: string): void {
    this.#state = { isRunning, text, sinceMs: Date.now() }
  }
}
