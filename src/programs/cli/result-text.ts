/** Formats results of commands as text: a table for a list, a line for every other field. */
import { count, daysText, money, utcSecond } from '../../console/words.ts'
import { bold } from '../../platform/terminal.ts'
import { table } from '../../platform/text-table.ts'

/** Fields with an amount in dollars. */
const DOLLARS = /^(amount|balance|cap|credited|debt|disputed|monthSpent|paid|refunded|spent|taken|threshold)$/
/** Names of fields with an ISO time. */
const TIMES = /^(time|until|\w+At)$/
/** Words for names that say too little on a terminal. */
const WORDS: Record<string, string> = { counted: 'refusals counted', past: 'ended', remedy: 'what now' }
/** Maximum characters of an email address in a table on a terminal: a longer one would widen every row. */
const EMAIL_SHOWN_MAX = 40

/** Returns a result as text, then `note`. @param columns shown fields of a list, and of nothing else */
export function resultText(result: unknown, columns?: readonly string[], note = ''): string {
  const fields = Array.isArray(result) ? [['', result] as const] : Object.entries(result as object)
  const singles = (columns ? [] : fields)
    .filter(([, value]) => !isList(value))
    .map(([name, value]) => [name, valueText(name, value, unsetText(name))])
    .filter(([, text]) => text !== '')
  const width = Math.max(0, ...singles.map(([name]) => spaced(name).length))
  return [
    ...singles.map(([name, text]) => `${spaced(name).padEnd(width)}  ${text}`),
    ...fields.flatMap(([name, value]) => {
      if (!isList(value) || value.length === 0) return []
      return [...(singles.length > 0 ? ['', bold(spaced(name))] : []), listText(value, columns)]
    }),
    ...(note === '' ? [] : [note]),
  ].join('\n')
}

function isList(value: unknown): value is object[] {
  return Array.isArray(value) && typeof (value[0] ?? {}) === 'object'
}

function listText(rows: readonly object[], columns: readonly string[] = Object.keys(rows[0])): string {
  const values = rows.map(row => row as Readonly<Record<string, unknown>>)
  const head = (name: string) => {
    const isNumber = values.some(row => typeof row[name] === 'number')
    return `${isNumber ? '>' : ''}${spaced(name).toUpperCase()}`
  }
  const shown = columns.filter(name => values.some(row => valueText(name, row[name]) !== '-'))
  return table(
    shown.map(head),
    values.map(row => shown.map(name => cellText(name, valueText(name, row[name])))),
  )
}

function cellText(name: string, text: string): string {
  const isCut = name === 'email' && text.length > EMAIL_SHOWN_MAX && process.stdout.isTTY === true
  return isCut ? `${text.slice(0, EMAIL_SHOWN_MAX - 1)}…` : text
}

function spaced(name: string): string {
  return WORDS[name] ?? name.replace(/(?<=[a-z])[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
}

/** Returns the text of a field without a value; `''` if it has no line. */
export function unsetText(name: string): string {
  if (/^(endpoints|addresses)$/.test(name)) return 'all'
  if (/^(expiresAt|lastUsedAt)$/.test(name)) return 'never'
  return /^(cap|label|note|rateLimits|threshold)$/.test(name) ? 'none' : ''
}

export function valueText(name: string, value: unknown, none = '-'): string {
  if (value === null || value === undefined || value === '') return none
  if (name === 'daysLeft') return daysText({ daysLeft: Number(value) })
  if (typeof value === 'number' && DOLLARS.test(name)) return money(Math.round(value * 1_000_000))
  if (Number.isInteger(value)) return count(Number(value))
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.join(', ') || none
  if (typeof value === 'object')
    return Object.entries(value)
      .filter(([, each]) => each !== null)
      .map(([each, text]) => `${spaced(each)} ${valueText(each, text)}`)
      .join(', ')
  return TIMES.test(name) ? utcSecond(Date.parse(String(value))) : String(value)
}
