/** Every operation of the API, in the order of the document. */
import type { Operation } from './operation.ts'
import { about, balance } from './operations/account.ts'
import { lookupBulk, validateBulk } from './operations/batches.ts'
import { city } from './operations/cities.ts'
import { lookup, metacode, metazip, validate } from './operations/codes.ts'
import { countries, format } from './operations/countries.ts'
import { autocomplete, nearest } from './operations/nearby.ts'

export const OPERATIONS: readonly Operation[] = [
  lookup,
  metacode,
  metazip,
  validate,
  nearest,
  format,
  city,
  autocomplete,
  countries,
  validateBulk,
  lookupBulk,
  balance,
  about,
]
