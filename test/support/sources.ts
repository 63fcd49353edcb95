import type { Row, Source } from '../../datasets/source.ts'

export function sourceOf(id: string, rows: readonly Row[], more: Partial<Source> = {}): Source {
  return {
    id,
    title: id,
    origin: 'test',
    licence: 'CC0-1.0',
    attribution: 'nobody',
    url: 'https://example.org',
    date: '',
    countries: Object.fromEntries(rows.map(({ country }) => [country, 'full'])),
    *rows(country) {
      for (const row of rows) if (row.country === country) yield row
    },
    ...more,
  }
}
