/** POST /api/lookup: place name and position of a postal code. */
import { ENDPOINT_USAGE } from '../../accounts/endpoint-usage.ts'
import type { ApiKey } from '../../accounts/types.ts'
import type { ErrorCode } from '../../errors.ts'
import { ADMIN_WORDS, adminBefore } from '../../format/admin-entry.ts'
import { nameOfCode } from '../../index/codes/code-name.ts'
import type { Country } from '../../index/country.ts'
import { writePosition } from '../../index/record-json.ts'
import { pieceOf } from '../../text/piece.ts'
import { checkCode, findRequestedCode } from '../request/code-request.ts'
import { FULL_ENDING, writeEnding } from '../response/respond.ts'
import type { ApiRequest, Endpoint } from '../service.ts'

const CITY = pieceOf('{"city":"')
const STATE = pieceOf(',"state":"')
const ST = pieceOf(',"ST":"')
const NO_STATE = pieceOf(',"state":"","ST":""')

export const lookup: Endpoint = {
  usage: ENDPOINT_USAGE.lookup,
  check: checkCode,
  find: findCodeOrFail,
  write: writeLookup,
}

/** A code that does not exist is an error, and errors are free. */
export function findCodeOrFail(request: ApiRequest): ErrorCode | null {
  findRequestedCode(request)
  return request.code < 0 ? 'CODE_NOT_FOUND' : null
}

function writeLookup(request: ApiRequest, key: ApiKey): void {
  const { output, code } = request
  const { index } = request.service
  const { admins, text } = index
  // `find` has succeeded, so there is a country.
  const country = request.country as Country
  const name = nameOfCode(index, country, code)
  output.member(CITY, text, name)
  if (country.cc === 'US') {
    const admin = adminBefore(text, name) * ADMIN_WORDS
    output.member(STATE, text, admins[admin])
    output.member(ST, text, admins[admin + 1])
  } else output.piece(NO_STATE)
  writePosition(output, index, code)
  writeEnding(request, FULL_ENDING, key)
}
