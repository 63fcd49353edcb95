/**
 * A client of the service for Node.js, Deno, Bun and browsers. It needs only `fetch`.
 *
 * @example
 * import { PostrieClient } from 'postrie/client'
 * const client = new PostrieClient({ baseUrl: 'https://postal.example.com', apiKey })
 * await client.lookup('90210')
 */

import type { Located } from '../../postal/library/records.ts'
import type { EndpointAnswer, EndpointBody, EndpointName } from '../../service/endpoints/table.ts'
import { BULK_RECORDS_MAX } from '../../service/limits.ts'
import { groupsOf, type Items, inOrder } from './in-order.ts'
import { PostrieError } from './postrie-error.ts'
import { createPost, type SendRequest, type TransportOptions } from './transport.ts'

export type { Located, Metadata, NearCode } from '../../postal/library/records.ts'
export type { EndpointAnswer, EndpointBody, EndpointName } from '../../service/endpoints/table.ts'
export type { Items } from './in-order.ts'
export { PostrieError, type PostrieErrorCode } from './postrie-error.ts'
export type { TransportOptions } from './transport.ts'

type BulkAnswer = EndpointAnswer<'validate-bulk'>
export type PostalRecord = EndpointBody<'validate-bulk'>['records'][number]
export type RecordResult = BulkAnswer['results'][number]
/** A record with everything known about its code; `record` is null if the code does not exist. */
export type LookedUpRecord = EndpointAnswer<'lookup-bulk'>['results'][number]

/** A record with a city, a state, or both. */
export type AddressRecord = EndpointBody<'verify-bulk'>['records'][number]
export type VerifiedRecord = EndpointAnswer<'verify-bulk'>['results'][number]

export interface RequestOptions {
  /** Aborts the request, which then throws the signal's reason. */
  signal?: AbortSignal
}

/** Fields of an endpoint that are not parameters of the method. */
type OptionsOf<N extends EndpointName, Named extends string = never> = Omit<EndpointBody<N>, Named> &
  RequestOptions

export interface ManyOptions extends RequestOptions {
  /** Maximum number of batches in flight. Default 4. */
  concurrency?: number
  /** Records in one request, 1 to 1,000. Default 1,000. */
  batchSize?: number
  /** Called for each batch before its results are yielded. @param total undefined if unknown */
  onProgress?: (done: number, total: number | undefined) => void
}

export interface EachOptions extends ManyOptions {
  /** Called with a batch that failed and its records. The list then goes on without them. Throw to end it. */
  onFailure?: (error: PostrieError, records: readonly PostalRecord[]) => void
}

/** Options, and fields that records have only on request, such as `population`. */
export type LookupManyOptions = ManyOptions & OptionsOf<'lookup-bulk', 'records'>

type Batch = 'validate-bulk' | 'lookup-bulk' | 'verify-bulk'
type BatchAnswer<R> = Omit<BulkAnswer, 'results'> & { results: R[] }

interface AskedBatch<R> {
  batch: readonly PostalRecord[]
  results: readonly R[]
  /** Failure of the batch, which then has no results. */
  error?: PostrieError
}

const CONCURRENCY = 4

/**
 * A client with one API key of one service. Every answered query is charged. Retries a request without an
 * answer only with `retryUnanswered`: it may have been charged. Every method throws `PostrieError`.
 */
export class PostrieClient {
  readonly #post: SendRequest

  /** @throws TypeError if an option is missing or out of range */
  constructor(options: TransportOptions) {
    this.#post = createPost(options)
  }

  /** Asks any endpoint. Returns undefined, free of charge, if the code, city or country has no data. */
  ask<N extends EndpointName>(
    name: N,
    body: EndpointBody<N>,
    { signal }: RequestOptions = {},
  ): Promise<EndpointAnswer<N> | undefined> {
    return this.#post(`api/${name}`, body, signal)
  }

  /** Returns the place of a postal code; undefined if it does not exist. */
  lookup(zipcode: string | number, { signal, ...rest }: OptionsOf<'lookup', 'zipcode'> = {}) {
    return this.ask('lookup', { zipcode, ...rest }, { signal })
  }

  /** Returns everything known about a postal code; undefined if it does not exist. */
  metadata(zipcode: string | number, { signal, ...rest }: OptionsOf<'metacode', 'zipcode'> = {}) {
    return this.ask('metacode', { zipcode, ...rest }, { signal })
  }

  /** Checks that a postal code exists. */
  validate(zipcode: string | number, { signal, ...rest }: OptionsOf<'validate', 'zipcode'> = {}) {
    return this.#askExisting('validate', { zipcode, ...rest }, signal)
  }

  /** Returns whether a postal code, a city and a state belong together. */
  verify(zipcode: string | number, { signal, ...rest }: OptionsOf<'verify', 'zipcode'>) {
    return this.#askExisting('verify', { zipcode, ...rest }, signal)
  }

  /** Returns a page of states, cities or codes; undefined for an unknown state, or a country without data. */
  list(list: EndpointBody<'list'>['list'], { signal, ...rest }: OptionsOf<'list', 'list'> = {}) {
    return this.ask('list', { list, ...rest }, { signal })
  }

  /** Returns the postal codes of a city; undefined if no city is found. */
  city(city: string, { signal, ...rest }: OptionsOf<'city', 'city'> = {}) {
    return this.ask('city', { city, ...rest }, { signal })
  }

  /** Returns the codes around a point or a code, nearest first; undefined without that code's position. */
  nearest(of: Located, { signal, ...rest }: OptionsOf<'nearest', 'zipcode' | 'latitude' | 'longitude'> = {}) {
    return this.ask('nearest', { ...of, ...rest }, { signal })
  }

  /** Returns the distance between two postal codes; undefined if one does not exist or has no position. */
  distance(
    from: string | number,
    to: string | number,
    { signal, ...rest }: OptionsOf<'distance', 'from' | 'to'> = {},
  ) {
    return this.ask('distance', { from, to, ...rest }, { signal })
  }

  /** Returns the codes and cities that begin with `query`. */
  autocomplete(query: string, { signal, ...rest }: OptionsOf<'autocomplete', 'query'> = {}) {
    return this.#askExisting('autocomplete', { query, ...rest }, signal)
  }

  /** Returns the coverage of all countries or of one; undefined if the index has no code of that country. */
  countries({ signal, ...rest }: OptionsOf<'countries'> = {}) {
    return this.ask('countries', rest, { signal })
  }

  /** Returns the form of a country's codes. @param zipcode code to write in that form */
  format(zipcode?: string | number, { signal, ...rest }: OptionsOf<'format', 'zipcode'> = {}) {
    return this.#askExisting('format', { zipcode, ...rest }, signal)
  }

  /** Returns the account's balance. Free. */
  balance({ signal }: RequestOptions = {}) {
    return this.#askExisting('balance', {}, signal)
  }

  /** Returns version and coverage of the service. Free. */
  about({ signal }: RequestOptions = {}) {
    return this.#askExisting('aboutapi', {}, signal)
  }

  /** Validates 1 to 1,000 records in one request, which is charged as a whole or not at all. */
  validateBulk(records: readonly PostalRecord[], { signal }: RequestOptions = {}): Promise<BulkAnswer> {
    return this.#batch('validate-bulk', records, signal)
  }

  /**
   * Validates any number of records in batches. Sends nothing after a batch that fails, and throws its error,
   * whose `answered` has the results of all other batches in the order of the records.
   */
  validateAll(records: readonly PostalRecord[], options: ManyOptions = {}): Promise<RecordResult[]> {
    return this.#all('validate-bulk', records, options)
  }

  /**
   * Validates records that arrive one by one, as fast as results are taken, so memory stays bounded. Yields
   * the results of all batches before one that fails. With `onFailure`, goes on after it.
   */
  validateEach(records: Items<PostalRecord>, options: EachOptions = {}): AsyncGenerator<RecordResult> {
    return this.#each('validate-bulk', records, options)
  }

  /** Looks up any number of records, like `validateAll`. */
  lookupAll(records: readonly PostalRecord[], options: LookupManyOptions = {}): Promise<LookedUpRecord[]> {
    return this.#all('lookup-bulk', records, options)
  }

  /** Compares city and state of any number of records, like `validateAll`. */
  verifyAll(records: readonly AddressRecord[], options: ManyOptions = {}): Promise<VerifiedRecord[]> {
    return this.#all('verify-bulk', records, options)
  }

  /** Looks up records that arrive one by one, like `validateEach`. */
  lookupEach(
    records: Items<PostalRecord>,
    options: LookupManyOptions & EachOptions = {},
  ): AsyncGenerator<LookedUpRecord> {
    return this.#each('lookup-bulk', records, options)
  }

  async #askExisting<N extends EndpointName>(
    name: N,
    body: EndpointBody<N>,
    signal: AbortSignal | undefined,
  ): Promise<EndpointAnswer<N>> {
    return (await this.ask(name, body, { signal })) as EndpointAnswer<N>
  }

  async #batch<R>(
    name: Batch,
    records: readonly PostalRecord[],
    signal: AbortSignal | undefined,
    requested: object = {},
  ): Promise<BatchAnswer<R>> {
    const answer: unknown = await this.#askExisting(name, { ...requested, records: [...records] }, signal)
    const { results } = answer as { results?: unknown }
    if (Array.isArray(results) && results.length === records.length) return answer as BatchAnswer<R>
    const found = Array.isArray(results) ? results.length : 'none'
    const message = `api/${name}: expected ${records.length} results, found ${found}`
    throw new PostrieError('bad_response', message, { status: 200 })
  }

  async #all<R>(name: Batch, records: readonly PostalRecord[], options: ManyOptions): Promise<R[]> {
    const answered: (R | undefined)[] = []
    let failure: PostrieError | undefined
    for await (const { batch, results, error } of this.#batches<R>(name, records, options)) {
      failure ??= error
      answered.push(...(error === undefined ? results : batch.map(() => undefined)))
      options.onProgress?.(answered.length, records.length)
    }
    if (failure === undefined) return answered as R[]
    const count = answered.filter(result => result !== undefined).length
    throw new PostrieError(
      failure.code,
      `${failure.message}. ${count} of ${records.length} records were answered`,
      { ...failure, answered, cause: failure },
    )
  }

  async *#each<R>(name: Batch, records: Items<PostalRecord>, options: EachOptions): AsyncGenerator<R> {
    const { onProgress, onFailure } = options
    let done = 0
    for await (const { batch, results, error } of this.#batches<R>(name, records, options)) {
      if (error !== undefined) {
        if (onFailure === undefined) throw error
        onFailure(error, batch)
      }
      done += results.length
      onProgress?.(done, undefined)
      yield* results
    }
  }

  /** Yields batches with their results. Sends nothing after one that fails, unless `onFailure` is given. */
  #batches<R>(
    name: Batch,
    records: Items<PostalRecord>,
    options: EachOptions,
  ): AsyncGenerator<AskedBatch<R>> {
    const {
      concurrency = CONCURRENCY,
      batchSize = BULK_RECORDS_MAX,
      onProgress: _,
      onFailure,
      signal,
      ...requested
    } = options
    checkCount('concurrency', concurrency, 1000)
    checkCount('batchSize', batchSize, BULK_RECORDS_MAX)
    let failure: PostrieError | undefined
    const ask = async (batch: PostalRecord[], stop: AbortSignal): Promise<AskedBatch<R>> => {
      try {
        if (failure !== undefined && onFailure === undefined) throw failure
        const { results } = await this.#batch<R>(name, batch, stop, requested)
        return { batch, results }
      } catch (error) {
        if (!(error instanceof PostrieError)) throw error
        failure ??= error
        return { batch, results: [], error }
      }
    }
    return inOrder(groupsOf(records, batchSize), concurrency, ask, signal)
  }
}

function checkCount(name: string, value: number, max: number): void {
  if (!(Number.isInteger(value) && value >= 1 && value <= max))
    throw new PostrieError('invalid_request', `${name} is ${value}: give a whole number from 1 to ${max}`)
}
