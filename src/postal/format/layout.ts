/** Frame of the index file: header, section table, sections. FORMAT.md is the authority. */
import { ADMIN_WORDS } from './admin-entry.ts'
import { CODE_WORDS } from './code-entry.ts'
import { COUNTRY_WORDS } from './country-entry.ts'
import { NAME_WORDS } from './names.ts'
import { ALIAS_WORDS, PLACE_WORDS } from './place-entry.ts'

export const MAGIC = 'postrie\0'
export const VERSION = 1

export const HEADER_BYTES = 64
export const SECTION_ENTRY_BYTES = 24

export const HEADER = {
  version: 8,
  sectionCount: 12,
  fileLength: 16,
  crc: 24,
  buildId: 32,
  dataDayMs: 48,
  codeCount: 56,
} as const
export const BUILD_ID_BYTES = 16

export const SECTION_ENTRY = { name: 0, crc: 4, offset: 8, length: 16 } as const

const WORD_BYTES = 4

/**
 * Sections in file order, with the bytes of an entry, or 1 if entries vary in length. FORMAT.md describes each. PSIG and
 * ASIG: signatures of places and aliases. ACCU: accuracies. RULE: rules of countries.
 */
export const SECTIONS = {
  TRIE: WORD_BYTES,
  CODE: CODE_WORDS * WORD_BYTES,
  PLAC: PLACE_WORDS * WORD_BYTES,
  PSIG: WORD_BYTES,
  ALIA: ALIAS_WORDS * WORD_BYTES,
  ASIG: WORD_BYTES,
  HASH: WORD_BYTES,
  POST: 1,
  ADMN: ADMIN_WORDS * WORD_BYTES,
  TEXT: 1,
  NEAR: WORD_BYTES,
  NAME: NAME_WORDS * WORD_BYTES,
  ACCU: 1,
  CTRY: COUNTRY_WORDS * WORD_BYTES,
  RULE: 1,
  META: 1,
} as const
export type SectionName = keyof typeof SECTIONS
export const SECTION_NAMES = Object.keys(SECTIONS) as SectionName[]

export const HEAD_BYTES: number = HEADER_BYTES + SECTION_NAMES.length * SECTION_ENTRY_BYTES

/** Bytes of TEXT: an offset has 31 bits. */
export const TEXT_SECTION_BYTES_MAX = 0x7fff_ffff
/** Bytes of a string of TEXT, escaped for JSON. Ten of them fit the server's buffer. */
export const TEXT_FIELD_BYTES_MAX = 4096
/** Bytes of a written form, separators included. */
export const WRITTEN_BYTES_MAX = 32
