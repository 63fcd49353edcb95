/**
 * City keys straight from the bytes of TEXT. The close match compares thousands of names, and `cityKey` costs a microsecond
 * each; folding bytes by a table costs a tenth of that and gives the same key, or says that it cannot.
 */
import { cityKey, cityWords, nameText, WORDS } from '../../text/city.ts'
import { plainText } from '../text-section.ts'
import { COMPARED_LENGTH_MAX } from './edit-distance.ts'

/** Code points below this are folded by table: the basic plane, in which nearly every name is written. */
const TABLE_END = 0x1_0000
/** Table entries: one unit, two units (the second in the high half), or one of these. */
const BREAK = 0
const SKIP = 0xffff_ffff
/** Letters and a break between them, such as `½`: left to `cityKey`. */
const SLOW = 0xffff_fffe
const UNKNOWN = 0xffff_fffd

/** Made at the first close match, and filled as characters occur: asking `cityWords` about all of them takes 0.1 s. */
let table: Uint32Array | undefined
const TO_FOLD_SLOWLY = -2
const SPACE = 0x20
/** Set in the hash of every word, so that 0 means no word. */
const NOT_EMPTY = 0x1000
/** Low bits of a word's hash. With 12 of them one word in a hundred is taken for a short form that it is not; with 8, one in six. */
const HASH_MASK = 0xfff
/** 1 if the word of a short form has these low hash bits. */
const mayBeShortForm = new Uint8Array(HASH_MASK + 1)

export const foldedKey: Uint16Array = new Uint16Array(COMPARED_LENGTH_MAX + 2)

/** Folds the name at `offset` of TEXT into `foldedKey`. @returns the key's length, or -1 when it is longer than any compared */
export function foldName(text: Uint8Array, offset: number): number {
  const length = foldBytes(text, offset, false)
  return length === TO_FOLD_SLOWLY ? keyUnits(cityKey(plainText(text, offset)), foldedKey) : length
}

/** The same with the spaces of `nameText`. @param enough units after which the rest of the words need not be folded */
export function foldSpaced(text: Uint8Array, offset: number, enough = COMPARED_LENGTH_MAX): number {
  const length = foldBytes(text, offset, true, enough)
  return length === TO_FOLD_SLOWLY ? keyUnits(nameText(plainText(text, offset)), foldedKey) : length
}

/** Length of the folded name, or `TO_FOLD_SLOWLY`. @param isSpaced whether words are apart @param enough as for `foldSpaced` */
function foldBytes(
  text: Uint8Array,
  offset: number,
  isSpaced: boolean,
  enough = COMPARED_LENGTH_MAX,
): number {
  const folds = table ?? newTable()
  const length = text[offset]
  const end = offset + 1 + length
  // Negated, because the length is undefined beyond the section. Folding slowly reports the damage.
  if (length >= 0x80 || !(end <= text.length)) return TO_FOLD_SLOWLY
  let out = 0
  let hash = 0
  for (let i = offset + 1; i <= end; i++) {
    let point = i < end ? text[i] : 0x20
    if (point >= 0x80) {
      if (point >= 0xf0) return TO_FOLD_SLOWLY
      if (point < 0xe0) point = ((point & 0x1f) << 6) | (text[++i] & 0x3f)
      else point = ((point & 0x0f) << 12) | ((text[++i] & 0x3f) << 6) | (text[++i] & 0x3f)
    } else if (point === 0x5c) return TO_FOLD_SLOWLY
    let fold = folds[point]
    if (fold === UNKNOWN) {
      fold = foldOf(point)
      folds[point] = fold
    }
    if (fold === BREAK) {
      if (hash !== 0 && mayBeShortForm[hash & HASH_MASK] === 1) return TO_FOLD_SLOWLY
      if (isSpaced && hash !== 0) foldedKey[out++] = SPACE
      hash = 0
      // No later word changes those before it.
      if (out > enough + 1) return out
    } else if (fold !== SKIP) {
      // A fold may be two units; and a short form may yet make the key shorter.
      if (fold === SLOW || out + 2 > COMPARED_LENGTH_MAX) return TO_FOLD_SLOWLY
      foldedKey[out++] = fold & 0xffff
      hash = nextHash(hash, fold & 0xffff)
      if (fold > 0xffff) {
        foldedKey[out++] = fold >>> 16
        hash = nextHash(hash, fold >>> 16)
      }
    }
  }
  return isSpaced && out > 0 && foldedKey[out - 1] === SPACE ? out - 1 : out
}

/** True if the city key of the name at `offset` of TEXT is `key`. @throws DamagedIndexError */
export function isNameOf(text: Uint8Array, offset: number, key: string): boolean {
  const length = foldName(text, offset)
  // A longer key than folding reaches.
  if (length < 0) return cityKey(plainText(text, offset)) === key
  if (length !== key.length) return false
  for (let i = 0; i < length; i++) if (foldedKey[i] !== key.charCodeAt(i)) return false
  return true
}

/** Puts `key` into `foldedKey`'s form in `out`. @returns its length, or -1 when it is longer than any compared */
export function keyUnits(key: string, out: Uint16Array): number {
  if (key.length > COMPARED_LENGTH_MAX) return -1
  for (let i = 0; i < key.length; i++) out[i] = key.charCodeAt(i)
  return key.length
}

function nextHash(hash: number, unit: number): number {
  return (Math.imul(hash, 31) + unit) | NOT_EMPTY
}

function newTable(): Uint32Array {
  for (const word of WORDS.keys()) {
    let hash = 0
    for (let i = 0; i < word.length; i++) hash = nextHash(hash, word.charCodeAt(i))
    mayBeShortForm[hash & HASH_MASK] = 1
  }
  table = new Uint32Array(TABLE_END).fill(UNKNOWN)
  return table
}

function foldOf(point: number): number {
  const words = cityWords(`a${String.fromCharCode(point)}b`)
  if (words.length !== 1) return words.join('') === 'ab' ? BREAK : SLOW
  const fold = words[0].slice(1, -1)
  if (fold === '') return SKIP
  if (fold.length > 2) return SLOW
  return (fold.charCodeAt(0) | (fold.length === 2 ? fold.charCodeAt(1) << 16 : 0)) >>> 0
}
