/** The layout of the index file; FORMAT.md beside this file is its description and the authority. */

export const MAGIC = 'postrie\0'
export const VERSION_MAJOR = 3
export const VERSION_MINOR = 0

export const HEADER_BYTES = 64
export const SECTION_ENTRY_BYTES = 32
export const SECTIONS_MAX = 64

/** Offsets of header fields. */
export const HEADER = {
  major: 8,
  minor: 10,
  sectionCount: 12,
  fileLength: 16,
  crc: 24,
  buildId: 32,
  dataDayMs: 48,
  codeCount: 56,
  countryCount: 60,
} as const

/** Every section of version 3 with the bytes of one entry; 0 where entries differ in length. In file order. */
export const SECTIONS = {
  TRIE: 4,
  CODE: 12,
  PLAC: 12,
  PSIG: 4,
  ALIA: 8,
  ASIG: 4,
  HASH: 4,
  POST: 0,
  ADMN: 32,
  TEXT: 0,
  WRIT: 8,
  CTRY: 44,
  RULE: 0,
  META: 0,
} as const
export type SectionName = keyof typeof SECTIONS

/** `u32` words of the entries above, for indexing a `Uint32Array`. */
export const PLACE_WORDS = 3
/** Seven texts and a time zone. */
export const ADMIN_WORDS = 8
export const ADMIN_EXTRA = 6
export const ADMIN_ZONE = 7
export const COUNTRY_WORDS = 11

export const LOW_24_BITS = 0x00ff_ffff
export const HIGH_BIT = 0x8000_0000

/** Bytes of the index into ADMN that stands before the name of a code's place. */
export const NAME_ADMIN_BYTES = 3

/** Bounds that follow from the widths of fields. */
/** Places and aliases together: a HASH slot holds 1 + entry in 24 bits. */
export const ENTRIES_MAX = LOW_24_BITS - 1
export const ADMINS_MAX = LOW_24_BITS
export const ZONES_MAX = 0xffff
export const TEXT_BYTES_MAX = 0x7fff_ffff
/** Bytes of one string of TEXT, escaped for JSON: a response of ten fits the server's buffer many times over. */
export const TEXT_FIELD_BYTES_MAX = 4096

/** City keys of this length and above share the last slot of `placeLengths`. */
export const KEY_LENGTH_SLOTS = 33
