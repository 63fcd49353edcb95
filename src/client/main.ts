/**
 * A client of the service, for everything that has `fetch`: Node.js, Deno, Bun, browsers.
 *
 * @example
 * import { PostrieClient } from 'postrie/client'
 * const client = new PostrieClient({ baseUrl: 'https://postal.example.com', apiKey })
 * await client.lookup('90210')
 */
import { ERRORS } from '../errors.ts'
import { BULK_RECORDS_MAX } from '../limits.ts'
import type {
  AboutAnswer,
  AutocompleteAnswer,
  BalanceAnswer,
  BulkAnswer,
  CityAnswer,
  CountriesAnswer,
  FormatAnswer,
  LookedUpRecord,
  LookupAnswer,
  MetadataAnswer,
  NearestAnswer,
  PostalRecord,
  RecordResult,
  ValidateAnswer,
} from './answers.ts'
import { PostrieError } from './errors.ts'
import { groupsOf, type Items, inOrder } from './in-order.ts'
import { Transport, type TransportOptions } from './transport.ts'

export type { Metadata } from '../library/records.ts'
export type * from './answers.ts'
export { PostrieError, type PostrieErrorCode } from './errors.ts'
export type { Items } from './in-order.ts'
export type { TransportOptions } from './transport.ts'

export interface RequestOptions {
  /** Ends the request; its reason is thrown. */
  signal?: AbortSignal
}

export interface CodeOptions extends RequestOptions {
  /** ISO 3166-1 alpha-2, in either case; default `US`. */
  country?: string
}

export interface CityOptions extends CodeOptions {
  /** Name or code of a state or another area; in the US one of the two is required. */
  state?: string
  ST?: string
  /** Most codes in the answer, and how many are passed over first. */
  limit?: number
  offset?: number
}

/** A point, or a code whose position is the point. */
export type NearestOf = { latitude: number; longitude: number } | { zipcode: string | number }

export interface NearestOptions extends CodeOptions {
  /** Kilometres within which codes count. */
  radius?: number
  /** Codes wanted. */
  limit?: number
}

export interface SuggestOptions extends CodeOptions {
  /** Codes, and cities, that are wanted. */
  limit?: number
}

export interface ManyOptions extends RequestOptions {
  /** Batches in flight at a time. Default 4. */
  concurrency?: number
  /** Records in one request, 1 to 1,000. Default 1,000. */
  batchSize?: number
  /** Called after each batch. @param done records with a result @param total undefined when it is not known */
  onProgress?: (done: number, total: number | undefined) => void
}

const [, CODE_NOT_FOUND] = ERRORS.CODE_NOT_FOUND
const [, CITY_NOT_FOUND] = ERRORS.CITY_NOT_FOUND

const CONCURRENCY = 4

/**
 * One account of one service. Every answered query is charged. 429 and 503 are tried again, after as long as the service asks;
 * what failed on the way is not, because it may have been charged. Every method throws `PostrieError`.
 */
export class PostrieClient {
  readonly #transport: Transport

  /** @throws TypeError when an option is missing or out of range */
  constructor(options: TransportOptions) {
    this.#transport = new Transport(options)
  }

  /** The place of a postal code; undefined when it does not exist, which is free. */
  lookup(zipcode: string | number, { signal, ...rest }: CodeOptions = {}): Promise<LookupAnswer | undefined> {
    return this.#transport.post('api/lookup', { zipcode, ...rest }, signal, CODE_NOT_FOUND)
  }

  /** Everything that is known of a postal code; undefined when it does not exist, which is free. */
  metadata(
    zipcode: string | number,
    { signal, ...rest }: CodeOptions = {},
  ): Promise<MetadataAnswer | undefined> {
    return this.#transport.post('api/metacode', { zipcode, ...rest }, signal, CODE_NOT_FOUND)
  }

  /** Whether a postal code exists. */
  validate(zipcode: string | number, { signal, ...rest }: CodeOptions = {}): Promise<ValidateAnswer> {
    return this.#ask('api/validate', { zipcode, ...rest }, signal)
  }

  /** The postal codes of a city; undefined when none is found, which is free. */
  city(city: string, { signal, ...rest }: CityOptions = {}): Promise<CityAnswer | undefined> {
    return this.#transport.post('api/city', { city, ...rest }, signal, CITY_NOT_FOUND)
  }

  /** Validates 1 to 1,000 records in one request, which is charged as a whole or not at all. */
  validateBulk(records: readonly PostalRecord[], { signal }: RequestOptions = {}): Promise<BulkAnswer> {
    return this.#batch('api/validate-bulk', records, signal)
  }

  /** Validates any number of records, in batches; the results are in their order. @throws as soon as one batch fails */
  validateAll(records: readonly PostalRecord[], options: ManyOptions = {}): Promise<RecordResult[]> {
    return this.#all('api/validate-bulk', records, options)
  }

  /**
   * The same for records that arrive one by one, such as the lines of a file. Records are taken as results are consumed, so
   * memory stays bounded. When a batch fails, the results of all records before it have been yielded.
   */
  validateEach(records: Items<PostalRecord>, options: ManyOptions = {}): AsyncGenerator<RecordResult> {
    return this.#each('api/validate-bulk', records, options)
  }

  /** As `validateAll`, with everything that is known of each code. */
  lookupAll(records: readonly PostalRecord[], options: ManyOptions = {}): Promise<LookedUpRecord[]> {
    return this.#all('api/lookup-bulk', records, options)
  }

  /** As `validateEach`, with everything that is known of each code. */
  lookupEach(records: Items<PostalRecord>, options: ManyOptions = {}): AsyncGenerator<LookedUpRecord> {
    return this.#each('api/lookup-bulk', records, options)
  }

  /** The postal codes around a point or around another code, the nearest first; undefined when there is no such code. */
  nearest(of: NearestOf, { signal, ...rest }: NearestOptions = {}): Promise<NearestAnswer | undefined> {
    return this.#transport.post('api/nearest', { ...of, ...rest }, signal, CODE_NOT_FOUND)
  }

  /** The codes and cities that somebody who is typing may mean. */
  autocomplete(query: string, { signal, ...rest }: SuggestOptions = {}): Promise<AutocompleteAnswer> {
    return this.#ask('api/autocomplete', { query, ...rest }, signal)
  }

  /** What the service has of every country, or of one. */
  countries({ signal, ...rest }: CodeOptions = {}): Promise<CountriesAnswer> {
    return this.#ask('api/countries', rest, signal)
  }

  /** How a country writes its codes. @param zipcode a code whose written form is wanted */
  format(zipcode?: string | number, { signal, ...rest }: CodeOptions = {}): Promise<FormatAnswer> {
    return this.#ask('api/format', { zipcode, ...rest }, signal)
  }

  /** What the account has left. Free. */
  balance({ signal }: RequestOptions = {}): Promise<BalanceAnswer> {
    return this.#ask('api/balance', {}, signal)
  }

  /** What the service is and holds. Free. */
  about({ signal }: RequestOptions = {}): Promise<AboutAnswer> {
    return this.#ask('api/aboutapi', {}, signal)
  }

  async #batch<Result>(
    path: string,
    records: readonly PostalRecord[],
    signal: AbortSignal | undefined,
  ): Promise<BulkAnswer<Result>> {
    const answer = await this.#ask<BulkAnswer<Result>>(path, { records }, signal)
    if (!Array.isArray(answer.results) || answer.results.length !== records.length) {
      const found = Array.isArray(answer.results) ? `${answer.results.length} results` : 'no results'
      throw new PostrieError('bad_response', `${path}: ${found} found, ${records.length} expected`, {
        status: 200,
      })
    }
    return answer
  }

  async #all<Result>(
    path: string,
    records: readonly PostalRecord[],
    options: ManyOptions,
  ): Promise<Result[]> {
    const results: Result[] = []
    const { onProgress } = options
    const progress = onProgress && ((done: number) => onProgress(done, records.length))
    for await (const result of this.#each<Result>(path, records, { ...options, onProgress: progress }))
      results.push(result)
    return results
  }

  async *#each<Result>(
    path: string,
    records: Items<PostalRecord>,
    options: ManyOptions,
  ): AsyncGenerator<Result> {
    const { concurrency = CONCURRENCY, batchSize = BULK_RECORDS_MAX, onProgress, signal } = options
    checkCount('concurrency', concurrency, 1000)
    checkCount('batchSize', batchSize, BULK_RECORDS_MAX)
    const batches = inOrder(
      groupsOf(records, batchSize),
      concurrency,
      (batch, stop) => this.#batch<Result>(path, batch, stop),
      signal,
    )
    let done = 0
    for await (const { results } of batches) {
      done += results.length
      onProgress?.(done, undefined)
      yield* results
    }
  }

  /** The answer of a request that finds something whatever it asks. */
  async #ask<T extends object>(path: string, fields: object, signal: AbortSignal | undefined): Promise<T> {
    return (await this.#transport.post<T>(path, fields, signal)) as T
  }
}

function checkCount(name: string, value: number, max: number): void {
  if (!(Number.isInteger(value) && value >= 1 && value <= max))
    throw new TypeError(`${name} is ${value}, 1 to ${max} expected`)
}
