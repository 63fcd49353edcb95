/**
 * The ADMN section: the administrative areas of a place, in eight words. The first six are offsets in TEXT: name and code of
 * level 1, of level 2 and of level 3. The index of an entry takes 24 bits wherever it is stored.
 */
export const ADMIN_WORDS = 8
/** Word with the offset in TEXT of further fields, the inside of a JSON object. */
export const ADMIN_EXTRA = 6
/** Word with the number of the time zone. */
export const ADMIN_ZONE = 7

/** Bytes of the index into ADMN that stands before the name of a code's place. */
export const NAME_ADMIN_BYTES = 3

export const ADMINS_MAX = 0x00ff_ffff
export const ZONES_MAX = 0xffff

/** The words of an area's names and codes, in the order of the section. */
export const ADMIN_FIELDS = ['name1', 'code1', 'name2', 'code2', 'name3', 'code3'] as const
export type AdminField = (typeof ADMIN_FIELDS)[number]

/** The three bytes before the name of a code's place. */
export function packNameAdmin(admin: number): Uint8Array {
  return Uint8Array.of(admin, admin >>> 8, admin >>> 16)
}

/** Index into ADMN before the name of a code's place, which is at `name` of TEXT. */
export function adminBefore(text: Uint8Array, name: number): number {
  const at = name - NAME_ADMIN_BYTES
  return text[at] | (text[at + 1] << 8) | (text[at + 2] << 16)
}
