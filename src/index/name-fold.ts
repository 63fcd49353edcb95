/**
 * City keys straight from the bytes of TEXT. The close match compares thousands of names, and `cityKey` costs a microsecond
 * each; folding bytes by a table costs a tenth of that and gives the same key, or says that it cannot.
 */
import { cityKey, cityWords, WORDS } from '../text/city.ts'
import { COMPARED_LENGTH_MAX } from './edit-distance.ts'
import { plainText } from './text.ts'

/** Code points below this are folded by table: Latin, Greek, Cyrillic and their accents. */
const TABLE_END = 0x530
/** Table entries: one unit, two units (the second in the high half), or one of these. */
const BREAK = 0
const SKIP = 0xffff_ffff
/** Letters and a break between them, such as `½`: left to `cityKey`. */
const SLOW = 0xffff_fffe

let table: Uint32Array | undefined
/** Whether some short form's word may have these low hash bits. */
const mayBeShortForm = new Uint8Array(256)

/** The key of the last name folded; valid until the next. */
export const foldedKey: Uint16Array = new Uint16Array(COMPARED_LENGTH_MAX + 2)

/** Folds the name at `offset` of TEXT into `foldedKey`. @returns the key's length, or -1 when it is longer than any compared */
export function foldName(text: Uint8Array, offset: number): number {
  const folds = table ?? buildTable()
  const length = text[offset]
  if (length >= 0x80) return foldSlowly(text, offset)
  let out = 0
  let hash = 0
  const end = offset + 1 + length
  for (let i = offset + 1; i <= end; i++) {
    let point = i < end ? text[i] : 0x20
    if (point >= 0x80) {
      if (point >= 0xe0) return foldSlowly(text, offset)
      point = ((point & 0x1f) << 6) | (text[++i] & 0x3f)
      if (point >= TABLE_END) return foldSlowly(text, offset)
    } else if (point === 0x5c) return foldSlowly(text, offset)
    const fold = folds[point]
    if (fold === BREAK) {
      if (hash !== 0 && mayBeShortForm[hash & 255] === 1) return foldSlowly(text, offset)
      hash = 0
    } else if (fold !== SKIP) {
      // A fold may be two units; and a short form may yet make the key shorter.
      if (fold === SLOW || out + 2 > COMPARED_LENGTH_MAX) return foldSlowly(text, offset)
      foldedKey[out++] = fold & 0xffff
      hash = nextHash(hash, fold & 0xffff)
      if (fold > 0xffff) {
        foldedKey[out++] = fold >>> 16
        hash = nextHash(hash, fold >>> 16)
      }
    }
  }
  return out
}

/** Puts `key` into `foldedKey`'s form in `out`. @returns its length, or -1 when it is longer than any compared */
export function keyUnits(key: string, out: Uint16Array): number {
  if (key.length > COMPARED_LENGTH_MAX) return -1
  for (let i = 0; i < key.length; i++) out[i] = key.charCodeAt(i)
  return key.length
}

function foldSlowly(text: Uint8Array, offset: number): number {
  return keyUnits(cityKey(plainText(text, offset)), foldedKey)
}

function nextHash(hash: number, unit: number): number {
  return (Math.imul(hash, 31) + unit) | 0x100
}

/** Made at the first close match, by asking `cityWords` about each character between two letters. */
function buildTable(): Uint32Array {
  const folds = new Uint32Array(TABLE_END)
  for (let point = 0; point < TABLE_END; point++) {
    const words = cityWords(`a${String.fromCharCode(point)}b`)
    if (words.length !== 1) {
      folds[point] = words.join('') === 'ab' ? BREAK : SLOW
      continue
    }
    const fold = words[0].slice(1, -1)
    if (fold.length > 2) throw new RangeError(`U+${point.toString(16)} folds to more than two units`)
    folds[point] =
      fold === '' ? SKIP : (fold.charCodeAt(0) | (fold.length === 2 ? fold.charCodeAt(1) << 16 : 0)) >>> 0
  }
  for (const word of WORDS.keys()) {
    let hash = 0
    for (let i = 0; i < word.length; i++) hash = nextHash(hash, word.charCodeAt(i))
    mayBeShortForm[hash & 255] = 1
  }
  table = folds
  return folds
}
