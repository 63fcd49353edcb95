/** POST /api/lookup: place name and position of a postal code. */
import type { ApiKey } from '../accounts/types.ts'
import type { ErrorCode } from '../errors.ts'
import { CODE_WORDS, isPlaced, latitude, longitude, nameOffset } from '../format/code-record.ts'
import { ADMIN_WORDS, NAME_ADMIN_BYTES } from '../format/layout.ts'
import type { Country } from '../index/country.ts'
import { adminBefore } from '../index/text.ts'
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

function writeLookup(request: Request, key: ApiKey): void {
  const { output, code } = request
  const { codes, admins, text } = request.service.index
  // `find` has succeeded, so there is a country.
  const country = request.country as Country
  const name = country.nameStart + nameOffset(codes, code * CODE_WORDS)
  output.piece(CITY)
  output.indexText(text, name + NAME_ADMIN_BYTES)
  if (country.cc === 'US') {
    const admin = adminBefore(text, name) * ADMIN_WORDS
    output.piece(STATE)
    output.indexText(text, admins[admin])
    output.piece(ST)
    output.indexText(text, admins[admin + 1])
    output.byte(QUOTE)
  } else output.piece(NO_STATE)
  writePosition(request)
  writeEnding(request, FULL_ENDING, key.account)
}

/** `,"latitude":…,"longitude":…`, or nothing when the position is unknown. */
export function writePosition(request: Request): void {
  const { output, code } = request
  const { codes } = request.service.index
  const at = code * CODE_WORDS
  if (!isPlaced(codes, at)) return
  output.piece(LATITUDE)
  output.millionths(latitude(codes, at))
  output.piece(LONGITUDE)
  output.millionths(longitude(codes, at))
}
