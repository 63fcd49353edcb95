/** Which register a `--source` option names. */
import type { Source } from '../source.ts'
import { correios } from './correios.ts'
import { type Importer, openRegister } from './importer.ts'
import {
  bag,
  ban,
  codePointOpen,
  dawa,
  onspd,
  openAddresses,
  ruian,
  sepomex,
  swisstopo,
} from './registers.ts'

export const IMPORTERS: readonly Importer[] = [
  onspd,
  codePointOpen,
  ban,
  swisstopo,
  bag,
  dawa,
  ruian,
  sepomex,
  correios,
  openAddresses,
]

/**
 * The source that `spec`, `<kind>=<file>` or `<kind>-<country>=<file>`, names; undefined when it names no register.
 * @throws Error when the country is missing or superfluous, and as `openRegister`
 */
export async function openImported(spec: string): Promise<Source | undefined> {
  const [, name = '', path = ''] = /^([a-z-]+(?:-[A-Z]{2})?)=(.+)$/.exec(spec) ?? []
  const importer = IMPORTERS.find(
    ({ kind }) => name === kind || (name.startsWith(`${kind}-`) && /-[A-Z]{2}$/.test(name)),
  )
  if (importer === undefined) return undefined
  const country = name === importer.kind ? '' : name.slice(-2)
  if ((importer.country === '') === (country === ''))
    throw new Error(
      importer.country === ''
        ? `${spec} lacks the country; expected ${importer.kind}-DE=<file>, for example`
        : `${spec} names a country; ${importer.kind} is of ${importer.country} alone: expected ${importer.kind}=<file>`,
    )
  return openRegister(importer, path, importer.country || country)
}
