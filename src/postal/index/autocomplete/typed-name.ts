/** A beginning of a city's name, as somebody types it, and the texts that it may become. */
import { LEAD_UNIT_MAX, LEAD_UNITS, nameLead } from '../../format/names.ts'
import { cityWords, shortWords, WORDS } from '../../text/city.ts'

/** A beginning of texts. If `isWhole`, its last word is complete: `st` is not the beginning of `stockton`. */
export interface Beginning {
  readonly text: string
  readonly isWhole: boolean
  /** Its lead, and the bits of a lead that it fills. */
  readonly lead: number
  readonly mask: number
  /** True if an equal lead makes an equal beginning. */
  readonly isLead: boolean
}

const SHORT_FORMS = new Map<string, [word: string, short: string][]>()
for (const [word, short] of WORDS)
  if (short !== '') SHORT_FORMS.set(word[0], [...(SHORT_FORMS.get(word[0]) ?? []), [word, short]])

/** Returns what `typed` may begin. Short forms of its last word count as words: `Sai` may become `St`. */
export function typedName(typed: string): { whole: string; beginnings: readonly Beginning[] } {
  const words = cityWords(typed)
  if (words.length === 0) return { whole: '', beginnings: [] }
  const last = words[words.length - 1]
  let head = ''
  for (const word of words.slice(0, -1)) {
    const short = WORDS.get(word) ?? word
    if (short !== '') head += `${short} `
  }
  const beginnings = [beginningOf(head + last, false)]
  for (const [word, short] of SHORT_FORMS.get(last[0]) ?? []) {
    if (!word.startsWith(last) || short.startsWith(last)) continue
    const text = head + short
    if (!beginnings.some(other => other.isWhole && other.text === text))
      beginnings.push(beginningOf(text, true))
  }
  return { whole: shortWords(words).join(' '), beginnings }
}

function beginningOf(text: string, isWhole: boolean): Beginning {
  const mask = text.length >= LEAD_UNITS ? 0xffff_ffff : (-1 << (8 * (LEAD_UNITS - text.length))) >>> 0
  const lead = (nameLead(text) & mask) >>> 0
  const last = (lead >>> (8 * (LEAD_UNITS - text.length))) & LEAD_UNIT_MAX
  const isLead = !isWhole && text.length <= LEAD_UNITS && last !== LEAD_UNIT_MAX
  return { text, isWhole, lead, mask, isLead }
}

export function hasBeginning(text: string, { text: beginning, isWhole }: Beginning): boolean {
  return (
    text.startsWith(beginning) &&
    (!isWhole || text.length === beginning.length || text[beginning.length] === ' ')
  )
}
