/** What the documents say of large countries, compared with the index. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Check, counting } from './check.ts'

const pageOf = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')
/** Codes in the default index, then in the world's, without their shares. */
const ROW = /\b([A-Z]{2}) +([\d,]+|-)(?: *\d+%)? +([\d,]+)/g
const THIN = /thin without GeoNames: (.*?) have\s+no codes, and (.*?)\s+less than a fifth/s
/** Share of the world's codes below which the README calls a country thin. */
const THIN_SHARE = 0.2

const numberOf = (text: string) => Number(text.replaceAll(',', '')) || 0
const rows = new Map(
  Array.from(pageOf('docs/data.md').matchAll(ROW), ([, country, own, world]) => [
    country,
    { own: numberOf(own), world: numberOf(world) },
  ]),
)
const thin: readonly string[] =
  THIN.exec(pageOf('README.md'))
    ?.slice(1)
    .flatMap(list => list.match(/[A-Z]{2}/g) ?? []) ?? []

export function misstated(sourceIds: readonly string[]): Check {
  const isWorld = sourceIds.includes('geonames')
  return counting('large country with other codes than the documents say', ({ cc, codes }, count) => {
    const row = rows.get(cc)
    if (row === undefined) return
    const stated = isWorld ? row.world : row.own
    count.add(stated !== codes.length, () => `${codes.length} codes, not ${stated}`)
    const isThin = row.own < row.world * THIN_SHARE
    count.add(isThin !== thin.includes(cc), () => `${row.own} of ${row.world} codes without GeoNames`)
  })
}
