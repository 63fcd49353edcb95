import type { Row } from './source.ts'

/** GeoNames' scale of accuracy: an estimate, a place of the gazetteer, and the middle of a code's addresses. */
export const ESTIMATED = 1
export const AT_PLACE = 4
export const MEASURED = 6

export const NOWHERE = { lat: Number.NaN, lon: Number.NaN }

/** Makes a row. Fields that a source lacks are `''`, `NaN` or empty. */
export function row(country: string, code: string, place: string, fields: Partial<Row> = {}): Row {
  return {
    country,
    code,
    place,
    name1: '',
    code1: '',
    name2: '',
    code2: '',
    name3: '',
    code3: '',
    ...NOWHERE,
    accuracy: 0,
    timezone: '',
    elevation: Number.NaN,
    kind: '',
    aliases: [],
    ...fields,
  }
}

/** Returns the number in `text`; NaN for `''` and other texts. */
export function numberOf(text: string): number {
  return text === '' ? Number.NaN : Number(text)
}

/** Returns the number in `text`, which may have a decimal comma; NaN for `''` and other texts. */
export function decimalOf(text: string): number {
  return numberOf(text.replace(',', '.'))
}

/** Returns the beginning of `text` in quotation marks, for messages. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 20))
}
