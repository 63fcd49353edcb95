import { packageSource, readPackageJson } from '../package-files.ts'
import { row } from '../row.ts'

interface Entry {
  codePostal: string
  /** Number at INSEE. Its first two digits are the département's, overseas three. */
  codeCommune: string
  nomCommune: string
}

/** Cities whose arrondissements have numbers at INSEE: `Paris 1er Arrondissement`. */
const ARRONDISSEMENT = /^(Paris|Lyon|Marseille) (\d+)er? Arrondissement$/

/** France with overseas: 6,201 codes by commune, without positions and without CEDEX codes. */
export const codesPostaux = packageSource('codes-postaux', {
  title: 'Base officielle des codes postaux',
  licence: 'ODbL-1.0',
  attribution: 'La Poste and INSEE, prepared by Base Adresse Nationale',
  url: 'https://github.com/BaseAdresseNationale/codes-postaux',
  countries: { FR: 'full' },
  addsCodes: ['FR'],
  *rows() {
    for (const { codePostal, codeCommune, nomCommune } of readPackageJson<Entry[]>(
      'codes-postaux',
      'codes-postaux.json',
    )) {
      const code2 = codeCommune.slice(0, codeCommune.startsWith('97') ? 3 : 2)
      const [, city, number] = ARRONDISSEMENT.exec(nomCommune) ?? []
      if (city === undefined) yield row('FR', codePostal, nomCommune, { code2, code3: codeCommune })
      // GeoNames has the short form, so both sources give one name.
      else
        yield row('FR', codePostal, `${city} ${number.padStart(2, '0')}`, {
          code2,
          code3: codeCommune,
          aliases: [nomCommune],
        })
    }
  },
})
