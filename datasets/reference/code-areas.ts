/** Areas that the first characters of codes tell, from `postal-code-checker` (libaddressinput). */
import { addTo } from '../maps.ts'
import { readPackageText } from '../package-files.ts'

interface CodeArea {
  /** ISO 3166-2 without the country. */
  readonly code: string
  readonly name: string
  readonly beginning: RegExp
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
