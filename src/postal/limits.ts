/** Bounds and defaults of questions, for the library, the API and commands. */

/** Maximum characters of a postal code after its separators are removed. */
export const CODE_LENGTH_MAX = 10
/** Maximum number of results of nearest in the API. */
export const NEAREST_MAX = 100
export const NEAREST_DEFAULT = 10
export const SUGGESTIONS_MAX = 50
export const SUGGESTIONS_DEFAULT = 10
/** Maximum number of areas named beside a suggested city. The index stores no more. */
export const AREAS_PER_SUGGESTION_MAX = 5
/** Maximum radius in kilometres: half the way around the earth. */
export const RADIUS_KM_MAX = 20_040
/** Maximum number of items of a page of a list. */
export const LIST_MAX = 10_000
export const LIST_DEFAULT = 1000
/** Maximum offset and length of a page of a city's codes. */
export const CITY_PAGE_MAX = 10_000_000
