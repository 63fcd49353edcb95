/** Section TRIE, of 4-byte words. FORMAT.md has the tables. */

/** Bits of a link with the kind of its target. */
export const LINK_KIND = 0xc000_0000 | 0
/** Bits of a link with the word of its target. */
export const LINK_AT = 0x3fff_ffff
export const TO_NODE = 0
export const TO_LIST = 0x4000_0000
export const TO_PAIRS = 0x8000_0000 | 0
export const TO_ENDS = 0xc000_0000 | 0

/** Bits of the first word of a node, or page of ends. The second word has the symbols 0 to 31. */
export const FIRST_CODE = 0x07ff_ffff
/** Bit of that word: a code ends here. */
export const ENDS_HERE = 0x0800_0000
/** Shift of that word to the symbols 32 to 35. */
export const HIGH_SYMBOLS_SHIFT = 28
/** Words of a node before its links, and of a page of ends. */
export const HEAD_WORDS = 2

export const LIST_KEYS_MAX = 32
/** Symbols of a list's key, which fit 16 bits in base 37. */
export const LIST_SYMBOLS_MAX = 3
/** Base of a list's keys. A digit is a symbol plus one, or 0 after the end. */
export const LIST_BASE = 37

/** Words of a page of pairs: first code index, 100 bits in four words, numbers of bits before each word. */
export const PAIRS_WORDS = 6
/** Word of a page of pairs with these numbers. */
export const PAIRS_COUNTS = 5
/** Keys of a page of pairs. Fewer are smaller as a list. */
export const PAIRS_KEYS_MIN = 9

export const LINKS_MAX = LINK_AT
export const TRIE_CODES_MAX = FIRST_CODE
