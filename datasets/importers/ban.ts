import { degrees, type Importer } from './importer.ts'

/** France with overseas: every address, so every code that has one; no CEDEX. */
export const ban: Importer = {
  kind: 'ban',
  title: 'Base Adresse Nationale',
  country: 'FR',
  licence: 'etalab-2.0',
  attribution: 'Base Adresse Nationale, adresse.data.gouv.fr',
  url: 'https://adresse.data.gouv.fr',
  completeness: 'full',
  format: {
    encoding: 'utf-8',
    delimiter: ';',
    columns: ['code_postal', 'nom_commune', 'code_insee', 'lon', 'lat'],
  },
  entry([code, place, insee, lon, lat]) {
    if (code === '') return null
    // The number of a commune begins with that of its department, overseas with three characters.
    const code2 = insee.slice(0, insee.startsWith('97') || insee.startsWith('98') ? 3 : 2)
    return { code, place, code2, code3: insee, ...degrees(lat, lon) }
  },
}
