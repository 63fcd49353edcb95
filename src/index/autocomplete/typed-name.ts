/** What somebody has typed of a city's name, as the beginnings of texts that it may become. */
import { leadWord } from '../../format/name-order.ts'
import { cityWords, WORDS } from '../../text/city.ts'

/** A beginning of texts; `isWhole`: its last word is complete, so that `st` is not the beginning of `stockton`. */
export interface Beginning {
  readonly text: string
  readonly isWhole: boolean
  /** Its first units as the two words of LEAD have them, and the bits of these words that it fills. */
  readonly lead: number
  readonly nextLead: number
  readonly mask: number
  readonly nextMask: number
}

export interface TypedName {
  /** As `nameText` gives it. */
  readonly whole: string
  /** None when no letter or digit is left. */
  readonly beginnings: readonly Beginning[]
}

const [SMALL_A, SMALL_Z, DIGIT_0, DIGIT_9] = [0x61, 0x7a, 0x30, 0x39]

/** Words with their short forms, by their first letter. */
const SHORT_FORMS = new Map<string, [word: string, short: string][]>()
for (const [word, short] of WORDS) {
  if (short === '') continue
  const known = SHORT_FORMS.get(word[0])
  if (known === undefined) SHORT_FORMS.set(word[0], [[word, short]])
  else known.push([word, short])
}

/** Bits of a word of LEAD that so many units fill. */
const UNIT_BITS = [0, 0xffff_0000, 0xffff_ffff]

/**
 * What `typed` stands for. Its last word may be any beginning of a word; where that word has a short form, so that `Sai` may become
 * `Saint`, the short form counts as a word of its own.
 */
export function typedName(typed: string): TypedName {
  // As `cityWords` would say, without looking at what most people type a second time.
  const words = isOneWord(typed) ? [typed] : cityWords(typed)
  if (words.length === 0) return { whole: '', beginnings: [] }
  const last = words[words.length - 1]
  let head = ''
  for (let i = 0; i < words.length - 1; i++) {
    const word = WORDS.get(words[i]) ?? words[i]
    if (word !== '') head += `${word} `
  }
  const beginnings = [beginningOf(head + last, false)]
  for (const [word, short] of SHORT_FORMS.get(last[0]) ?? []) {
    if (!word.startsWith(last) || short.startsWith(last)) continue
    const text = head + short
    if (!beginnings.some(other => other.isWhole && other.text === text))
      beginnings.push(beginningOf(text, true))
  }
  const short = WORDS.get(last) ?? last
  const whole = short === '' ? head.slice(0, -1) : head + short
  return { whole: whole === '' ? words.join(' ') : whole, beginnings }
}

/** Whether a text is small letters and digits of ASCII alone. */
function isOneWord(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (!((unit >= SMALL_A && unit <= SMALL_Z) || (unit >= DIGIT_0 && unit <= DIGIT_9))) return false
  }
  return text !== ''
}

function beginningOf(text: string, isWhole: boolean): Beginning {
  return {
    text,
    isWhole,
    lead: leadWord(text, 0),
    nextLead: leadWord(text, 1),
    mask: UNIT_BITS[Math.min(2, text.length)],
    nextMask: UNIT_BITS[Math.max(0, Math.min(2, text.length - 2))],
  }
}

/** Whether the text of a name begins so. */
export function hasBeginning(text: string, { text: beginning, isWhole }: Beginning): boolean {
  return (
    text.startsWith(beginning) &&
    (!isWhole || text.length === beginning.length || text[beginning.length] === ' ')
  )
}
