/** Makes entries of addresses written by many hands. */
import { memoised } from '../maps.ts'
import { isoAreas } from '../reference/iso-areas.ts'
import { postForm } from '../reference/post-forms.ts'
import { titleCase } from '../sources/title-case.ts'
import type { Entry } from './gather.ts'
import { positionOf } from './importer.ts'

/** Maximum characters of a name in imported addresses. A longer one is cut. */
const SOURCE_NAME_LENGTH_MAX = 128

export interface Address {
  country: string
  code: string
  place: string
  /** The largest first. */
  areas: readonly string[]
  lat: number
  lon: number
}

interface Country {
  /** Matches a written code; undefined if the post has none. */
  form: RegExp | undefined
  /** Names of level-1 areas by code of ISO 3166-2. */
  areas: ReadonlyMap<string, string>
}

/** Length of the longest code, with separators and a prefix. */
const CODE_LENGTH_MAX = 16

/** Returns a function that makes entries. `code` is `''` where the country's post writes none like it. */
export function addressReader(): (address: Address) => Entry {
  const countryOnce = memoised(countryOf)
  return ({ country, code, place, areas, lat, lon }) => {
    const known = countryOnce(country)
    const [area = '', name2 = '', name3 = ''] = areas.map(nameOf)
    const name1 = known.areas.get(area)
    return {
      country,
      code: codeOf(code, known.form),
      place: nameOf(place),
      // The United States and others write MA for Massachusetts.
      ...(name1 === undefined ? { name1: area } : { name1, code1: area }),
      name2,
      name3,
      ...positionOf(lat, lon),
    }
  }
}

function countryOf(country: string): Country {
  const pattern = /^[A-Z]{2}$/.test(country) ? postForm(country)?.pattern : undefined
  if (pattern === undefined) return { form: undefined, areas: new Map() }
  const areas = isoAreas(country).map(({ code, names: [name] }) => [code, name] as const)
  return { form: new RegExp(`^(?:${pattern})$`), areas: new Map(areas) }
}

function codeOf(text: string, form: RegExp | undefined): string {
  if (form === undefined || text.length > CODE_LENGTH_MAX) return ''
  // The place of a ZIP+4 has its first five digits.
  const code = text
    .trim()
    .toUpperCase()
    .replace(/^(\d{5})-\d{4}$/, '$1')
  const forms = [code, code.replace(/^[A-Z]{1,3}[- ](?=\d)/, ''), code.replace(/[\s.-]/g, '')]
  return forms.find(written => form.test(written)) ?? ''
}

/** Returns a name without needless space, and without words in capitals. */
function nameOf(text: string): string {
  const name = text.slice(0, SOURCE_NAME_LENGTH_MAX).replace(/\s+/g, ' ').trim()
  // Shorter names are codes of areas.
  return name.length < 4 ? name : titleCase(name)
}
