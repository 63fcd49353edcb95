import { readFileSync } from 'node:fs'
import { ASSETS_FOLDER, assetPath } from '../assets/assets.ts'
import type { CoverageRow } from '../reports/coverage-figures.ts'

/** Meanings of completeness, and shades of its countries on the map. */
export const MEANINGS: Readonly<
  Record<CoverageRow['completeness'], readonly [meaning: string, shade: number]>
> = {
  full: ['Nearly every published code is here. An unknown code most likely does not exist.', 1],
  'short codes': ['The first part of each code is here. It stands for all codes that begin with it.', 0.7],
  partial: ['How many codes there are in all is not known. A code that is not found may still exist.', 0.45],
  'no data': ['This country has codes, but none is here. Only their form can be checked.', 0.25],
  'no postal codes': ['This country has no codes.', 0],
}

/** Countries of the map, which deploy/world-map.mjs has drawn. */
const MAPPED = Array.from(
  readFileSync(new URL('world.svg', ASSETS_FOLDER), 'utf8').matchAll(/id="([A-Z]{2})"/g),
  ([, country = '']) => country,
)

/** A map. Countries without a row are outlines. Screen readers skip it: the page has the same as text. */
export function WorldMap({ rows }: { rows: readonly CoverageRow[] }) {
  return (
    <svg class="world" viewBox="-5 24 1010 452" aria-hidden="true">
      {MAPPED.map(country => {
        const row = rows.find(({ code }) => code === country)
        const shade = row && MEANINGS[row.completeness][1]
        const shape = <use href={`${assetPath('world.svg')}#${country}`} fill-opacity={shade} />
        if (row === undefined) return shape
        return (
          <a href={`/coverage/${country}`} tabindex={-1}>
            <title>{`${row.name}: ${row.completeness}`}</title>
            {shape}
          </a>
        )
      })}
    </svg>
  )
}
