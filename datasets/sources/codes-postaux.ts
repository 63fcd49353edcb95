import { packageSource, readPackageJson } from '../package-files.ts'
import { row } from '../row.ts'

interface Entry {
  codePostal: string
  /** INSEE number of the commune; its first two digits (three overseas) are the département. */
  codeCommune: string
  nomCommune: string
}

/** `Paris 1er Arrondissement`: the three cities whose arrondissements have INSEE numbers. */
const ARRONDISSEMENT = /^(Paris|Lyon|Marseille) (\d+)er? Arrondissement$/

/** France and its overseas départements: 6,201 codes by commune, without positions and without CEDEX codes. */
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
      // The short form is GeoNames' one, so that a rebuild from there finds the same names.
      else
        yield row('FR', codePostal, `${city} ${number.padStart(2, '0')}`, {
          code2,
          code3: codeCommune,
          aliases: [nomCommune],
        })
    }
  },
})
