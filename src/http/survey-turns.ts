/**
 * Surveys large batches a piece in each turn of the event loop, one batch after another, so that other requests are answered
 * in between. Batches of customers go before those whose key is not known yet.
 */
import { setImmediate } from 'node:timers'
import { type BatchSurvey, BatchSurveyor } from '../api/request/batch-survey.ts'
import { SURVEY_PIECE_BYTES, SURVEYS_WAITING_MAX } from '../limits.ts'

interface Waiting {
  readonly surveyor: BatchSurveyor
  readonly isAborted: () => boolean
  readonly resolve: (survey: BatchSurvey | undefined) => void
}

export class SurveyTurns {
  readonly #customers: Waiting[] = []
  readonly #strangers: Waiting[] = []
  #isScheduled = false

  /** Whether a batch more would be too many: the caller answers 503. */
  isFull(isCustomer: boolean): boolean {
    return this.#queue(isCustomer).length >= SURVEYS_WAITING_MAX
  }

  /**
   * What `surveyBatch` finds in `body`, which must stay as it is until then.
   * @param isCustomer whether one of its keys is valid
   * @param isAborted whether nobody waits for the answer any more; the rest is not read then
   */
  survey(body: Uint8Array, isCustomer: boolean, isAborted: () => boolean): Promise<BatchSurvey | undefined> {
    return new Promise(resolve => {
      this.#queue(isCustomer).push({ surveyor: new BatchSurveyor(body), isAborted, resolve })
      this.#schedule()
    })
  }

  #queue(isCustomer: boolean): Waiting[] {
    return isCustomer ? this.#customers : this.#strangers
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#turn)
  }

  readonly #turn = (): void => {
    this.#isScheduled = false
    const queue = this.#queue(this.#customers.length > 0)
    const first = queue[0]
    if (first.isAborted() || first.surveyor.advance(SURVEY_PIECE_BYTES)) {
      queue.shift()
      first.resolve(first.surveyor.survey)
    }
    if (this.#customers.length + this.#strangers.length > 0) this.#schedule()
  }
}
