/** POST /api/metacode and its older name /api/metazip: everything that is known about a postal code. */
import { ENDPOINT_USAGE } from '../../accounts/endpoint-usage.ts'
import type { ApiKey } from '../../accounts/types.ts'
import type { Country } from '../../index/country.ts'
import { writeRecord } from '../../index/record-json.ts'
import { pieceOf } from '../../text/piece.ts'
import { checkCode } from '../request/code-request.ts'
import { FULL_ENDING, writeEnding } from '../response/respond.ts'
import type { ApiRequest, Endpoint } from '../service.ts'
import { findCodeOrFail } from './lookup.ts'

const META = pieceOf('{"meta":')

export const metacode: Endpoint = {
  usage: ENDPOINT_USAGE.metacode,
  check: checkCode,
  find: findCodeOrFail,
  write: writeMetacode,
}

function writeMetacode(request: ApiRequest, key: ApiKey): void {
  const { output, query, code } = request
  const { symbols, keyStart, keyLength } = query
  // `find` has succeeded, so there is a country.
  const country = request.country as Country
  output.piece(META)
  writeRecord(output, request.service.index, country, code, symbols, keyStart, keyLength)
  writeEnding(request, FULL_ENDING, key)
}
