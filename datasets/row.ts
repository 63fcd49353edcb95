import type { Row } from './source.ts'

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

/** Returns the number in `text`; NaN for `''` and other texts. */
export function numberOf(text: string): number {
  return text === '' ? Number.NaN : Number(text)
}
