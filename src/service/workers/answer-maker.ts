/** Answers bulk requests and other long requests in workers, and small bulk requests on server threads. */

import type { PostalIndex } from '../../postal/index/postal-index.ts'
import { PostalCodes } from '../../postal/library/postal-codes.ts'
import { parsedObject } from '../../postal/text/json.ts'
import { validateBulk } from '../endpoints/bulk.ts'
import { type Endpoint, isFault } from '../endpoints/endpoint.ts'
import { ENDPOINTS, type EndpointName } from '../endpoints/table.ts'
import { RecordValidator } from './record-validator.ts'
import { secretIn, TAIL_BYTES, type WorkerResult } from './worker-result.ts'

export class AnswerMaker {
  readonly #validator: RecordValidator
  readonly codes: PostalCodes

  constructor(index: PostalIndex) {
    this.#validator = new RecordValidator(index)
    this.codes = new PostalCodes(index)
  }

  /** Answers `body`. The next call may overwrite the `bytes` of the result. */
  make(name: string, body: Uint8Array): WorkerResult {
    const validated = name === validateBulk.name ? this.#validator.validate(body) : null
    return validated ?? answerParsed(ENDPOINTS[name as EndpointName] as Endpoint, this.codes, body)
  }
}

/** Answers through `JSON.parse` and `JSON.stringify`. */
function answerParsed(endpoint: Endpoint, codes: PostalCodes, body: Uint8Array): WorkerResult {
  const parsed = parsedObject(body)
  if (parsed === undefined) return { error: 'INVALID_JSON', apiKey: Buffer.alloc(0) }
  const apiKey = secretIn(parsed)
  const malformed = endpoint.check(codes, parsed)
  if (malformed !== null) return { ...malformed, apiKey }
  const answer = endpoint.run(codes, parsed)
  if (isFault(answer)) return { ...answer, apiKey }
  const json = JSON.stringify(answer).slice(0, -1)
  const bytes = Buffer.alloc(Buffer.byteLength(json) + TAIL_BYTES)
  return { error: null, apiKey, count: endpoint.queries(parsed), bytes, length: bytes.write(json) }
}
