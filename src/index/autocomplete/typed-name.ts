/** What somebody has typed of a city's name, as the beginnings of texts that it may become. */
import { cityWords, WORDS } from '../../text/city.ts'

/** A beginning of texts; `isWhole`: its last word is complete, so that `st` is not the beginning of `stockton`. */
export interface Beginning {
  readonly text: string
  readonly isWhole: boolean
}

/** Words with their short forms, by their first letter. */
const SHORT_FORMS = new Map<string, [word: string, short: string][]>()
for (const [word, short] of WORDS) {
  if (short === '') continue
  const known = SHORT_FORMS.get(word[0])
  if (known === undefined) SHORT_FORMS.set(word[0], [[word, short]])
  else known.push([word, short])
}

/**
 * The beginnings that `typed` stands for. Its last word may be any beginning of a word; where that word has a short form, so that
 * `Sai` may become `Saint`, the short form counts as a word of its own. None when no letter or digit is left.
 */
export function beginningsOf(typed: string): Beginning[] {
  const words = cityWords(typed)
  const last = words.pop()
  if (last === undefined) return []
  const head = words.map(word => WORDS.get(word) ?? word).filter(word => word !== '')
  const after = (word: string) => [...head, word].join(' ')
  const shortForms = new Set<string>()
  for (const [word, short] of SHORT_FORMS.get(last[0]) ?? [])
    if (word.startsWith(last) && !short.startsWith(last)) shortForms.add(short)
  return [
    { text: after(last), isWhole: false },
    ...Array.from(shortForms, short => ({ text: after(short), isWhole: true })),
  ]
}

/** Whether the text of a name begins so. */
export function hasBeginning(text: string, { text: beginning, isWhole }: Beginning): boolean {
  return (
    text.startsWith(beginning) &&
    (!isWhole || text.length === beginning.length || text[beginning.length] === ' ')
  )
}
