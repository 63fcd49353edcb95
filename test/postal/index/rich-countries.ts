/** Countries with every form of the index file: all kinds of nodes and pages, lists and aliases. */
import type { CountryModel } from '../../../build-index/model.ts'
import { ACCURACIES, CODE_KINDS } from '../../../src/postal/format/code-entry.ts'
import { COUNTRIES, code, country, place } from '../../support/countries.ts'

const REGIONS = ['Norte', 'Sur', 'Este "B"', 'Österreich'].map((name1, i) => ({
  name1,
  code1: `R${i}`,
  name2: `${name1} II`,
  code2: `${i}2`,
  extra: { municipality: `Municipio ${i}` },
}))
const NAMES = ['Centro', 'San José', 'Villanueva de la Serena', 'Saint-Étienne', 'Springfield', '東京', 'Ny']

/** 600 codes of five digits and 100 with letters. Several regions share names. */
function richCountry(): CountryModel {
  const keys = [
    ...Array.from({ length: 600 }, (_, i) =>
      String(10_000 + ((i * i * 7) % 3000) * 30 + (i % 3)).padStart(5, '0'),
    ),
    ...Array.from({ length: 100 }, (_, i) => `AB${(i * 37).toString(36).toUpperCase()}Z${i % 10}`),
    'XY',
    'XYA',
    'XYZ',
  ]
  const codes = [...new Set(keys)].map((key, i) => {
    const names = [NAMES[i % NAMES.length], ...(i % 3 === 0 ? [NAMES[(i + 2) % NAMES.length]] : [])]
    return code(
      key,
      names.map(name =>
        place(name, REGIONS[i % REGIONS.length], i % 5 === 0 ? [`${name} Viejo`, 'Antigua'] : []),
      ),
      {
        ...(i % 4 !== 0 && {
          lat: (i % 90) + 0.5,
          lon: (i % 180) - 0.25,
          elevation: i,
          grade: ACCURACIES[i % 4],
          kind: CODE_KINDS[i % CODE_KINDS.length],
        }),
        timezone: i % 2 === 0 ? 'Europe/Madrid' : 'Europe/Andorra',
      },
    )
  })
  return {
    ...country('AD', codes, { padTo: 5, prefixes: ['AD'], tails: ['NNN', 'XA'], masks: ['###-##'] }),
    areaNames: { north: ['Norte'], austria: ['Österreich'] },
  }
}

/** The builder expects ascending countries. */
export const RICH_COUNTRIES: readonly CountryModel[] = [richCountry(), ...COUNTRIES]
