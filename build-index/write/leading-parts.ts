/** Leading parts of full codes, `SW1A` of `SW1A 1AA`: each stands for the area of the codes that begin with it. */
import { addTo } from '../../datasets/maps.ts'
import { formsWithPart } from '../../datasets/reference/leading-parts.ts'
import { shapePattern } from '../../datasets/reference/post-forms.ts'
import { ADMIN_FIELDS } from '../../src/format/admin-entry.ts'
import type { AdminModel, CodeModel } from '../model.ts'

/** An area: what its codes have in common. */
export interface ShortArea {
  readonly key: string
  /** Mean position of those codes whose position is known, in degrees; NaN when none is. */
  readonly lat: number
  readonly lon: number
  /** The most frequent of their time zones, and of the names of their primary places. */
  readonly timezone: string
  readonly name: string
  /** The administrative fields that all of them share. */
  readonly admin: AdminModel
}

/**
 * Returns the areas of the leading parts of `codes`, ascending. There are none where the index holds short codes, which have records of
 * their own.
 * @param codes ascending by key
 */
export function shortAreas(country: string, codes: readonly CodeModel[]): ShortArea[] {
  const members = new Map<string, CodeModel[]>()
  for (const form of formsWithPart(country)) {
    const length = form.indexOf('|')
    const shape = new RegExp(`^${shapePattern(form.replaceAll('|', ''))}$`)
    for (const code of codes) if (shape.test(code.key)) addTo(members, code.key.slice(0, length), code)
  }
  if (members.size === 0) return []
  for (const { key } of codes) members.delete(key)
  return [...members]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, codes]) => ({ key, ...together(codes) }))
}

function together(codes: readonly CodeModel[]): Omit<ShortArea, 'key'> {
  const placed = codes.filter(({ lat }) => !Number.isNaN(lat))
  return {
    lat: mean(placed.map(({ lat }) => lat)),
    lon: mean(placed.map(({ lon }) => lon)),
    timezone: mostFrequent(codes.map(({ timezone }) => timezone)),
    name: mostFrequent(codes.map(({ places }) => places[0].name)),
    admin: shared(codes.map(({ places }) => places[0].admin)),
  }
}

function mean(degrees: readonly number[]): number {
  return degrees.reduce((sum, one) => sum + one, 0) / degrees.length
}

/** Returns the most frequent text, the first of several. An empty text counts only where there is no other. */
function mostFrequent(texts: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const text of texts) if (text !== '') counts.set(text, (counts.get(text) ?? 0) + 1)
  let best = ''
  for (const [text, count] of counts) if (count > (counts.get(best) ?? 0)) best = text
  return best
}

/** A field that not all have alike is empty. */
function shared(admins: readonly AdminModel[]): AdminModel {
  const [first] = admins
  if (admins.every(admin => admin === first)) return first
  const fields = ADMIN_FIELDS.map(field => [
    field,
    admins.every(admin => admin[field] === first[field]) ? first[field] : '',
  ])
  return { ...first, ...Object.fromEntries(fields), extra: {} }
}
