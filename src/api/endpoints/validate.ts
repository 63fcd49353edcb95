/** POST /api/validate: whether a postal code exists. */
import { ENDPOINT_USAGE } from '../../accounts/endpoint-usage.ts'
import type { ApiKey } from '../../accounts/types.ts'
import { QUOTE } from '../../text/json-bytes.ts'
import { NUMBER } from '../../text/json-members.ts'
import { pieceOf } from '../../text/piece.ts'
import { checkCode, findRequestedCode } from '../request/code-request.ts'
import { FIELD } from '../request/field-slots.ts'
import { ending, writeEnding } from '../response/respond.ts'
import type { ApiRequest, Endpoint } from '../service.ts'

const VALID = pieceOf('{"valid":true,"zipcode":')
const INVALID = pieceOf('{"valid":false,"zipcode":')
const RESPONSE_TIME = pieceOf(',"responseTime":"')
const TOTAL_TIME = pieceOf('ms","performance":{"totalTime":"')
const TIMES_END = pieceOf('ms"}')

const ENDING = ending(',"responseTime":"0ms","performance":{"totalTime":"0ms"}', writeTimes)

export const validate: Endpoint = {
  usage: ENDPOINT_USAGE.validate,
  check: checkCode,
  find(request) {
    findRequestedCode(request)
    return null
  },
  write: writeValidity,
}

function writeValidity(request: ApiRequest, key: ApiKey): void {
  const { output } = request
  output.piece(request.code < 0 ? INVALID : VALID)
  writeEcho(request)
  writeEnding(request, ENDING, key)
}

function writeTimes({ output, startedMs }: ApiRequest, nowMs: number): void {
  const milliseconds = Math.round(nowMs - startedMs)
  output.piece(RESPONSE_TIME)
  output.integer(milliseconds)
  output.piece(TOTAL_TIME)
  output.integer(milliseconds)
  output.piece(TIMES_END)
}

/** Echoes the `zipcode` as the client wrote it. Bodies are bounded, and so is the echo. */
function writeEcho({ fields, output }: ApiRequest): void {
  const quoted = fields.kinds[FIELD.zipcode] !== NUMBER
  if (quoted) output.byte(QUOTE)
  output.slice(fields.written, fields.zipcodeStart, fields.zipcodeEnd)
  if (quoted) output.byte(QUOTE)
}
