/** Section ADMN: areas of a place, in eight words: offsets in TEXT of name and code of levels 1 to 3. */
export const ADMIN_WORDS = 8
/** Word with the offset in TEXT of further fields, the inside of a JSON object. */
export const ADMIN_EXTRA = 6
/** Word with the number of the time zone. */
export const ADMIN_ZONE = 7

/** Facts stored before the name of a code's place. */
export interface NameHead {
  readonly admin: number
  /** Inhabitants of the place; 0 if unknown. */
  readonly population: number
}

/** Four bytes of the population, then three of the index into ADMN. */
export const NAME_HEAD_BYTES = 7
const ADMIN_BYTES = 3

/** Largest number in three bytes. */
export const ADMINS_MAX = 0x00ff_ffff
export const ZONES_MAX = 0xffff

/** Words of an area's names and codes, in the order of the section. */
export const ADMIN_FIELDS = ['name1', 'code1', 'name2', 'code2', 'name3', 'code3'] as const
export type AdminField = (typeof ADMIN_FIELDS)[number]
export const ADMIN_WORD = Object.fromEntries(ADMIN_FIELDS.map((field, word) => [field, word])) as Record<
  AdminField,
  number
>

export function packNameHead({ admin, population }: NameHead): Uint8Array {
  const head = new Uint8Array(NAME_HEAD_BYTES)
  new DataView(head.buffer).setUint32(0, population, true)
  head.set([admin, admin >>> 8, admin >>> 16], NAME_HEAD_BYTES - ADMIN_BYTES)
  return head
}

/** Returns the index into ADMN before the name of a code's place. @param name offset of the name in TEXT */
export function adminBefore(text: Uint8Array, name: number): number {
  const at = name - ADMIN_BYTES
  return text[at] | (text[at + 1] << 8) | (text[at + 2] << 16)
}

/** Returns the population of a code's place; 0 if unknown. @param name offset of its name in TEXT */
export function populationBefore(text: Uint8Array, name: number): number {
  const at = name - NAME_HEAD_BYTES
  return (text[at] | (text[at + 1] << 8) | (text[at + 2] << 16) | (text[at + 3] << 24)) >>> 0
}
