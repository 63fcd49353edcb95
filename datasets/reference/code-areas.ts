/** Areas that the first characters of codes tell, from `postal-code-checker` (libaddressinput) and from posts. */
import { addTo } from '../maps.ts'
import { readPackageText } from '../package-files.ts'

interface CodeArea {
  /** ISO 3166-2 without the country. */
  readonly code: string
  readonly name: string
  readonly beginning: RegExp
}

/**
 * Level-1 areas by the beginnings of codes, as the posts assign them, where sources name none, namesakes, or areas of
 * before a reform: the counties of Norway are those since 2024.
 */
const OF_POSTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  AR: { 'Ciudad Autónoma de Buenos Aires': '1[0-4]' },
  AX: { Åland: '' },
  BD: { 'Mymensingh Division': '2[012]|24(?!5)' },
  BY: { 'Minsk City': '220' },
  CL: { 'Región de Ñuble': '37[89]|3[89]|40[0-2]' },
  DO: { 'Distrito Nacional': '10[0-6]', 'Santo Domingo': '1' },
  FI: { Åland: '22' },
  ID: { Jakarta: '1[0-4]' },
  IN: { Ladakh: '194', Pondicherry: '533464|673310' },
  NO: {
    Oslo: '0|1[0-2]',
    Akershus: '1[349]|15[45]|20|21[5-9]|271[3567]|27[234]|34[3-9]|352[01]',
    Østfold: '1[5-8]',
    Innlandet: '21[0-4]|2[2-9]|352[278]',
    Buskerud: '30[0-6]|3075|3[3-5]|36[0-4]',
    Vestfold: '3[0-2]',
    Telemark: '3[6-9]',
    Rogaland: '4[0-3]|446|55[0-46-8]|5595',
    Agder: '4',
    Vestland: '5|67(?!6[13])|6[89]',
    'Møre og Romsdal': '6(?!65[789]|68[0-8])',
    Trøndelag: '6|7(?!979|98[0-3])',
    Nordland: '7|8(?!099|409)',
    Troms: '8409|9(?!17|186)[0-4]',
    Finnmark: '9186|9[5-9]',
  },
  RU: {
    'Ненецкий автономный округ': '166',
    'Ханты-Мансийский автономный округ': '628',
    'Ямало-Ненецкий автономный округ': '629',
  },
  UA: { 'Kyiv City': '0[1-6]' },
}

/** Returns the areas of a country in `OF_POSTS`. The first whose beginning matches counts. */
export function areasOfPost(country: string): Pick<CodeArea, 'name' | 'beginning'>[] {
  const areas = Object.entries(OF_POSTS[country] ?? {})
  return areas.map(([name, beginnings]) => ({ name, beginning: new RegExp(`^(?:${beginnings})`) }))
}

let areas: Map<string, CodeArea[]> | undefined

/** Returns the areas of a country, level 1 or below; none where its codes do not tell, or the package does not know. */
export function codeAreas(country: string): readonly CodeArea[] {
  areas ??= readAreas()
  return areas.get(country) ?? []
}

/** `    MX: [` and `        { code: "COA", name: "Coahuila de Zaragoza", pattern: "2[5-7]" },`. */
const LINE = /^ {4}([A-Z]{2}): \[$|^ {8}\{ code: (".*"), name: (".*"), pattern: (".*") \},?$/gm

function readAreas(): Map<string, CodeArea[]> {
  const found = new Map<string, CodeArea[]>()
  let country = ''
  for (const [, next, ...fields] of readPackageText('postal-code-checker', 'dist/index.mjs').matchAll(LINE)) {
    country = next ?? country
    if (next !== undefined) continue
    const [code, name, pattern] = fields.map(field => JSON.parse(field) as string)
    addTo(found, country, { code, name, beginning: new RegExp(`^(?:${pattern})`) })
  }
  return found
}
