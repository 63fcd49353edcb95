/** Maps that deploy/world-map.mjs has drawn: the world, and the outline of a country with points. */
import { readFileSync } from 'node:fs'
import { ASSETS_FOLDER, assetPath } from '../assets/assets.ts'

const read = (name: string) => readFileSync(new URL(name, ASSETS_FOLDER), 'utf8')
const COUNTRIES = Array.from(read('world.svg').matchAll(/id="([A-Z]{2})"/g), ([, country = '']) => country)
/** Outlines by country: longitude and latitude of their origin, units per degree, and a path of several parts. */
const OUTLINES = new Map(
  Array.from(
    read('outlines.svg').matchAll(/id="([A-Z]{2})" data-at="(\S+) (\S+) (\S+)" d="([^"]+)"/g),
    ([, country = '', longitude, latitude, scale, path = '']) => [
      country,
      { longitude: Number(longitude), latitude: Number(latitude), scale: Number(scale), path },
    ],
  ),
)
/** Free space around an outline, as a share of its size. */
const MARGIN = 0.08

/** Returns the box of a part of a path, which is a point and steps to the next points. */
function boxOf(part: string) {
  const numbers = (part.match(/-?\d+/g) ?? []).map(Number)
  let [x = 0, y = 0] = numbers
  const [xs, ys] = [[x], [y]]
  for (let at = 2; at + 1 < numbers.length; at += 2) {
    x += numbers[at] ?? 0
    y += numbers[at + 1] ?? 0
    xs.push(x)
    ys.push(y)
  }
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  return { left, top, width: Math.max(...xs) - left, height: Math.max(...ys) - top }
}

interface Shade {
  title: string
  opacity: number
  href?: string
}

/** A map of the world. Countries without a shade are outlines. Hidden from screen readers: the page needs the same as text. */
export function WorldMap({ shades }: { shades: ReadonlyMap<string, Shade> }) {
  return (
    <svg class="world" viewBox="-5 24 1010 452" aria-hidden="true">
      {COUNTRIES.map(country => {
        const shade = shades.get(country)
        const shape = <use href={`${assetPath('world.svg')}#${country}`} fill-opacity={shade?.opacity} />
        if (shade === undefined) return shape
        return (
          <a href={shade.href} tabindex={-1}>
            <title>{shade.title}</title>
            {shape}
          </a>
        )
      })}
    </svg>
  )
}

/** Draws a point on the part of its country around it. Nothing for a tiny country. */
export function Outline(
  point: Record<'country' | 'label', string> & Record<'latitude' | 'longitude', number>,
) {
  const outline = OUTLINES.get(point.country)
  if (outline === undefined) return null
  const squeeze = Math.cos((outline.latitude * Math.PI) / 180)
  const east = ((point.longitude - outline.longitude + 540) % 360) - 180
  const [x, y] = [east * squeeze * outline.scale, (outline.latitude - point.latitude) * outline.scale]
  const boxes = outline.path
    .split('M')
    .slice(1)
    .map(boxOf)
    .sort((a, b) => b.width * b.height - a.width * a.height)
  const contains = ({ left, top, width, height }: ReturnType<typeof boxOf>) =>
    x >= left - 1 && x <= left + width + 1 && y >= top - 1 && y <= top + height + 1
  const box = boxes.find(contains) ?? boxes[0]
  if (box === undefined) return null
  const size = Math.max(box.width, box.height)
  const margin = size * MARGIN
  const view = [box.left - margin, box.top - margin, box.width + 2 * margin, box.height + 2 * margin]
  return (
    <svg class="outline" viewBox={view.join(' ')} role="img" aria-label={point.label}>
      <path d={outline.path} stroke-width={size / 250} />
      <circle cx={x.toFixed(1)} cy={y.toFixed(1)} r={(size / 60).toFixed(1)} />
    </svg>
  )
}
