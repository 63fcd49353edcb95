/**
 * Writes the index in a thread of its own, while the builder's thread makes the models of further countries. Writing takes a quarter of a
 * build, and the garbage of two heaps is collected at the same time.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Credit } from '../../datasets/source.ts'
import type { CountryModel } from '../model.ts'
import type { CountryWriter, WriteOptions, WrittenIndex } from '../write-index.ts'
import { movedParts, type PackedModel, packModel } from './packed-model.ts'

/** What the thread is asked for: a country, or to finish. It answers each with one message, in their order. */
export type Request = PackedModel | 'finish'

/** Countries that wait for the thread or are being written. Some take many times as long to write as the next one to make. */
const QUEUE_MAX = 3

export class WriterThread implements CountryWriter {
  readonly #worker: Worker
  /** For each request without an answer yet, what takes the answer. */
  readonly #unanswered: ((written: WrittenIndex) => void)[] = []
  /** For each country that has not been written yet, what settles when it has. */
  readonly #queue: Promise<unknown>[] = []
  /** Rejects when the thread fails, which may be between two requests. */
  readonly #failure: Promise<never>

  constructor({ output, acceptLoss, credits }: WriteOptions) {
    const workerData: WriteOptions = { output, acceptLoss, credits: credits.map(creditOf) }
    this.#worker = new Worker(new URL('./writer-worker.js', import.meta.url), {
      name: 'postrie writer',
      workerData,
    })
    this.#failure = once(this.#worker, 'error').then(([error]) => {
      throw error
    })
    // The next request reports it; until then it is not unhandled.
    this.#failure.catch(() => {})
    this.#worker.on('message', (written: WrittenIndex) => this.#unanswered.shift()?.(written))
  }

  /** Returns as soon as there is room in the queue, so that memory is bounded. */
  async add(model: CountryModel): Promise<void> {
    const packed = packModel(model)
    while (this.#queue.length >= QUEUE_MAX) await this.#queue[0]
    const written = this.#ask(packed, movedParts(packed))
    this.#queue.push(written)
    void written.then(
      () => this.#queue.shift(),
      () => {},
    )
  }

  async finish(): Promise<WrittenIndex> {
    return await this.#ask('finish')
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  /** @throws what the thread throws */
  #ask(request: Request, moved: ArrayBuffer[] = []): Promise<WrittenIndex> {
    const answer = new Promise<WrittenIndex>(resolve => this.#unanswered.push(resolve))
    this.#worker.postMessage(request, moved)
    return Promise.race([answer, this.#failure])
  }
}

/** What another thread can be given of a source: its functions stay. */
function creditOf({ id, title, origin, licence, attribution, url, date }: Credit): Credit {
  return { id, title, origin, licence, attribution, url, date }
}
