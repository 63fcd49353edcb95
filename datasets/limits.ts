/** Bounds of source files. */

/** Maximum bytes of a GeoNames file, packed or not: the largest has 130 MB. */
export const SOURCE_FILE_BYTES_MAX = 2 * 1024 ** 3
/** Maximum bytes of one line of such a file: the longest has some 300. */
export const SOURCE_LINE_BYTES_MAX = 16 * 1024
/** Maximum number of codes with names of an imported source: a code with two names counts twice. The largest country has 2 million. */
export const SOURCE_GROUPS_MAX = 4_000_000
