/** POST /api/nearest: the postal codes around a point, or around another code. */
import { ENDPOINT_USAGE } from '../../accounts/endpoint-usage.ts'
import type { ApiKey } from '../../accounts/types.ts'
import type { ErrorCode } from '../../errors.ts'
import { DEGREE_SCALE, isPlaced, latitude, longitude } from '../../format/code-record.ts'
import { nameOfCode } from '../../index/codes/code-name.ts'
import { putFormNear } from '../../index/codes/written.ts'
import type { Country } from '../../index/country.ts'
import { countrySlot } from '../../index/country-table.ts'
import { NearestSearch, type NearQuery } from '../../index/nearest/nearest.ts'
import type { PostalIndex } from '../../index/postal-index.ts'
import { NEAREST_DEFAULT, NEAREST_MAX, RADIUS_KM_MAX } from '../../limits.ts'
import { ABSENT, STRING } from '../../text/json-members.ts'
import { type Piece, pieceOf } from '../../text/piece.ts'
import { checkCode, checkCountry, findRequestedCode } from '../request/code-request.ts'
import { FIELD } from '../request/field-slots.ts'
import { MoreFields } from '../request/more-fields.ts'
import { writeEnding } from '../response/respond.ts'
import { checkRoom } from '../response/room.ts'
import { SHORT_ENDING } from '../response/short-ending.ts'
import type { ApiRequest, Endpoint } from '../service.ts'

const HEAD = pieceOf('{"results":[')
const FIRST = pieceOf('{"postalCode":"')
const NEXT = pieceOf('},{"postalCode":"')
const LATITUDE = pieceOf('","latitude":')
const LONGITUDE = pieceOf(',"longitude":')
const DISTANCE = pieceOf(',"distance":')
const END = pieceOf('}]')
const NO_RESULTS = pieceOf(']')
const METRES_PER_KM = 1000

export const nearest: Endpoint = { usage: ENDPOINT_USAGE.nearest, check, find, write }

const fields = new MoreFields(['latitude', 'longitude', 'radius', 'limit'])
/** What `check` leaves for `find`, and `find` for `write`. */
const query: NearQuery = { north: 0, east: 0, radius: 0, limit: 0, cc: undefined }
let ofCode = false
let search: NearestSearch | undefined
let searched: PostalIndex | undefined
/** The countries of the trees of the index that was searched last. */
let owners: (Owner | undefined)[] = []

function check(request: ApiRequest): ErrorCode | null {
  fields.read(request.body, request.fields.writtenView)
  ofCode = request.fields.kinds[FIELD.zipcode] !== ABSENT && !isEmptyText(request)
  const hasPoint = fields.has('latitude') || fields.has('longitude')
  if (ofCode === hasPoint) return 'NO_POINT'
  const error = ofCode ? checkCode(request) : checkCountry(request)
  if (error !== null) return error
  if (hasPoint) {
    const north = fields.number('latitude', -90, 90, Number.NaN)
    if (north === undefined || Number.isNaN(north)) return 'INVALID_LATITUDE'
    const east = fields.number('longitude', -180, 180, Number.NaN)
    if (east === undefined || Number.isNaN(east)) return 'INVALID_LONGITUDE'
    query.north = Math.round(north * DEGREE_SCALE)
    query.east = Math.round(east * DEGREE_SCALE)
    // Without data it has no codes, near or far.
    query.cc = request.fields.hasText(FIELD.country) ? (request.country?.cc ?? '') : undefined
  } else query.cc = undefined
  const radius = fields.number('radius', 0, RADIUS_KM_MAX, Number.POSITIVE_INFINITY)
  if (radius === undefined) return 'INVALID_RADIUS'
  query.radius = radius * METRES_PER_KM
  const limit = fields.whole('limit', 1, NEAREST_MAX, NEAREST_DEFAULT)
  if (limit === undefined) return 'INVALID_LIMIT'
  query.limit = limit
  return null
}

function isEmptyText({ fields }: ApiRequest): boolean {
  return fields.kinds[FIELD.zipcode] === STRING && !fields.hasText(FIELD.zipcode)
}

function find(request: ApiRequest): ErrorCode | null {
  const { index } = request.service
  if (search === undefined || searched !== index) {
    search = new NearestSearch(index)
    searched = index
    owners = []
  }
  if (!search.isPossible) return 'UNAVAILABLE'
  if (ofCode) {
    findRequestedCode(request)
    const { code } = request
    if (code < 0) return 'CODE_NOT_FOUND'
    if (!isPlaced(index.codes, code)) return 'NO_POSITION'
    query.north = latitude(index.codes, code)
    query.east = longitude(index.codes, code)
  }
  search.search(query)
  return null
}

function write(request: ApiRequest, key: ApiKey): void {
  const { output } = request
  const { index } = request.service
  const found = search as NearestSearch
  const { count, codes, trees } = found
  output.piece(HEAD)
  for (let result = 0; result < count; result++) {
    checkRoom(output)
    const { country, middle } = ownerOf(index, found, trees[result])
    const code = codes[result]
    output.piece(result === 0 ? FIRST : NEXT)
    output.length = putFormNear(index, country, code, found.keys, output.bytes, output.length)
    output.piece(middle)
    output.indexText(index.text, nameOfCode(index, country, code))
    output.piece(LATITUDE)
    output.millionths(latitude(index.codes, code))
    output.piece(LONGITUDE)
    output.millionths(longitude(index.codes, code))
    output.piece(DISTANCE)
    // Kilometres, to the metre.
    output.millionths(Math.round(found.metres(result)) * METRES_PER_KM)
  }
  output.piece(count === 0 ? NO_RESULTS : END)
  writeEnding(request, SHORT_ENDING, key)
}

/** The country of a tree, and what stands between one of its codes and the name of a place. */
interface Owner {
  readonly country: Country
  readonly middle: Piece
}

function ownerOf({ countries }: PostalIndex, found: NearestSearch, tree: number): Owner {
  const known = owners[tree]
  if (known !== undefined) return known
  const cc = found.countryOf(tree)
  const country = countries.at(countrySlot(cc.charCodeAt(0), cc.charCodeAt(1))) as Country
  const owner = { country, middle: pieceOf(`","country":"${cc}","placeName":"`) }
  owners[tree] = owner
  return owner
}
