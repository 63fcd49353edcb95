/** The TRIE section, whose entries are 4-byte words. FORMAT.md draws them; the builder writes them and the reader walks them. */

/** A link: what it leads to in the top two bits, and at which word that lies in the others. */
export const LINK_KIND = 0xc000_0000 | 0
export const LINK_AT = 0x3fff_ffff
export const TO_NODE = 0
export const TO_LIST = 0x4000_0000
export const TO_PAIRS = 0x8000_0000 | 0
export const TO_ENDS = 0xc000_0000 | 0

/**
 * The first word of a node, and of a page of ends: the code index at which its subtree begins, whether a code ends here,
 * and the symbols 32 to 35. The second word has the symbols 0 to 31.
 */
export const FIRST_CODE = 0x07ff_ffff
export const ENDS_HERE = 0x0800_0000
export const HIGH_SYMBOLS_SHIFT = 28
/** Words of a node before its links, and of a page of ends. */
export const HEAD_WORDS = 2

/** Most keys of a list, and most symbols of each: those that a base-37 number of 16 bits can hold. */
export const LIST_KEYS_MAX = 32
export const LIST_SYMBOLS_MAX = 3
/** A list's key is its symbols plus one, as digits to this base; 0 where the key has ended. */
export const LIST_BASE = 37

/** Words of a page of pairs: first code index, 100 bits in four words, and how many are set in the words before each. */
export const PAIRS_WORDS = 6
export const PAIRS_COUNTS = 5
/** Fewer keys than this are smaller as a list. */
export const PAIRS_KEYS_MIN = 9

export const LINKS_MAX = LINK_AT
export const TRIE_CODES_MAX = FIRST_CODE
