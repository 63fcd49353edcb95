/** Everything that is known of a code, as `/api/metacode` writes it. */
import { ACCURACIES, accuracyAt } from '../format/accuracy.ts'
import { ADMIN_EXTRA, ADMIN_WORDS, ADMIN_ZONE, adminBefore } from '../format/admin-entry.ts'
import {
  DEGREE_SCALE,
  elevation,
  hasElevation,
  isPlaced,
  latitude,
  longitude,
} from '../format/code-record.ts'
import { nameOfCode } from '../index/codes/code-name.ts'
import type { Country } from '../index/country.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { escapedText, unescaped } from '../index/text-section.ts'
import type { Metadata } from './records.ts'
import type { IndexTexts } from './texts.ts'

/** Fields of the areas, in the order of ADMN. */
const US_AREAS = ['state', 'stateAbbrev', 'county'] as const
const WORLD_AREAS = [
  'admin_name1',
  'admin_code1',
  'admin_name2',
  'admin_code2',
  'admin_name3',
  'admin_code3',
] as const

/** @param code index of a code of `country` @param written its written form @throws DamagedIndexError */
export function metadataOf(
  index: PostalIndex,
  texts: IndexTexts,
  country: Country,
  code: number,
  written: string,
): Metadata {
  const { codes, text, admins, zones } = index
  const isUS = country.cc === 'US'
  const name = nameOfCode(index, country, code)
  const admin = adminBefore(text, name) * ADMIN_WORDS
  const meta: Metadata = isUS ? { zipcode: written } : { postalCode: written, country: country.cc }
  const put = (field: string, value: string) => {
    if (value !== '') meta[field] = value
  }
  put(isUS ? 'city' : 'placeName', texts.once(name))
  for (const [at, field] of (isUS ? US_AREAS : WORLD_AREAS).entries())
    put(field, texts.repeated(admins[admin + at]))
  const extra = admins[admin + ADMIN_EXTRA]
  if (extra !== 0) Object.assign(meta, unescaped<Metadata>(`{${escapedText(text, extra)}}`))
  if (isPlaced(codes, code)) {
    meta.latitude = latitude(codes, code) / DEGREE_SCALE
    meta.longitude = longitude(codes, code) / DEGREE_SCALE
  }
  put('accuracy', ACCURACIES[accuracyAt(index.accuracies, code)])
  put('timezone', zones.name(admins[admin + ADMIN_ZONE]))
  if (hasElevation(codes, code)) meta.elevation = elevation(codes, code)
  return meta
}
