import type { Row } from './source.ts'

/** Fields that a row must have. Every other field that a source lacks is `''`, `NaN` or empty. */
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
    lat: Number.NaN,
    lon: Number.NaN,
    accuracy: 0,
    timezone: '',
    elevation: Number.NaN,
    kind: '',
    aliases: [],
    ...fields,
  }
}

/** A number that a source writes as text; NaN for `''` and other texts. */
export function numberOf(text: string): number {
  return text === '' ? Number.NaN : Number(text)
}
