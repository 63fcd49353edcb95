/** POST /api/lookup: place name and position of a postal code. */
import type { ApiKey } from '../accounts/types.ts'
import type { ErrorCode } from '../errors.ts'
import { ADMIN_WORDS, LOW_24_BITS, NO_POSITION, PLACE_WORDS } from '../format/layout.ts'
import { QUOTE } from '../text/json-bytes.ts'
import { pieceOf } from '../text/piece.ts'
import { checkCode, findRequestedCode } from './code-request.ts'
import { FULL_ENDING, writeEnding } from './respond.ts'
import type { Endpoint, Request } from './service.ts'

const CITY = pieceOf('{"city":"')
const STATE = pieceOf('","state":"')
const ST = pieceOf('","ST":"')
const NO_STATE = pieceOf('","state":"","ST":""')
const LATITUDE = pieceOf(',"latitude":')
const LONGITUDE = pieceOf(',"longitude":')

export const lookup: Endpoint = {
  usage: 0,
  check: checkCode,
  find: findCodeOrFail,
  write: writeLookup,
}

/** A code that is not there is an error, and free. */
export function findCodeOrFail(request: Request): ErrorCode | null {
  findRequestedCode(request)
  return request.code < 0 ? 'CODE_NOT_FOUND' : null
}

function writeLookup(request: Request, key: ApiKey, nowMs: number): void {
  const { output, country, code } = request
  const { codes, places, admins, text } = request.service.index
  const place = (codes[code * 4] & LOW_24_BITS) * PLACE_WORDS
  output.piece(CITY)
  output.indexText(text, places[place])
  if (country?.cc === 'US') {
    const admin = (places[place + 1] & LOW_24_BITS) * ADMIN_WORDS
    output.piece(STATE)
    output.indexText(text, admins[admin])
    output.piece(ST)
    output.indexText(text, admins[admin + 1])
    output.byte(QUOTE)
  } else output.piece(NO_STATE)
  writePosition(request)
  writeEnding(request, FULL_ENDING, key.account, nowMs)
}

/** `,"latitude":…,"longitude":…`, or nothing when the position is unknown. */
export function writePosition(request: Request): void {
  const { output, code } = request
  const { codes } = request.service.index
  if (codes[code * 4 + 1] === NO_POSITION) return
  output.piece(LATITUDE)
  output.millionths(codes[code * 4 + 1])
  output.piece(LONGITUDE)
  output.millionths(codes[code * 4 + 2])
}
