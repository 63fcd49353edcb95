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

/** What the thread is asked for: a country, or to finish. It answers each with one message. */
export type Request = PackedModel | 'finish'

export class WriterThread implements CountryWriter {
  readonly #worker: Worker
  /** Settles when the last country has been written. */
  #written: Promise<unknown> = Promise.resolve()
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
  }

  /** Returns as soon as the country before it has been written, so that no more than two are in memory twice. */
  async add(model: CountryModel): Promise<void> {
    const packed = packModel(model)
    await this.#written
    this.#written = this.#ask(packed, movedParts(packed))
    this.#written.catch(() => {})
  }

  async finish(): Promise<WrittenIndex> {
    await this.#written
    const [written] = await this.#ask('finish')
    return written
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  /** @throws what the thread throws */
  #ask(request: Request, moved: ArrayBuffer[] = []): Promise<[WrittenIndex]> {
    const answer = once(this.#worker, 'message') as Promise<[WrittenIndex]>
    // It rejects with the thread's error as well, and then nobody waits for it.
    answer.catch(() => {})
    this.#worker.postMessage(request, moved)
    return Promise.race([answer, this.#failure])
  }
}

/** What another thread can be given of a source: its functions stay. */
function creditOf({ id, title, origin, licence, attribution, url, date }: Credit): Credit {
  return { id, title, origin, licence, attribution, url, date }
}
