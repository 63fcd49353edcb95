/** Maps from the shapes of `world.svg`: the world, and the outline of a country with points. */
import { readFileSync } from 'node:fs'
import { ASSETS_FOLDER, assetPath } from '../assets/assets.ts'

const WORLD = readFileSync(new URL('world.svg', ASSETS_FOLDER), 'utf8')
/** Scale and centre of the projection Equal Earth, written by deploy/world-map.mjs. */
const [SCALE = 0, CENTRE_X = 0, CENTRE_Y = 0] = (/equal-earth="(.+?)"/.exec(WORLD)?.[1] ?? '')
  .split(' ')
  .map(Number)
const [A1, A2, A3, A4] = [1.340264, -0.081106, 0.000893, 0.003796]
/** Free space around an outline, as a share of its size. */
const MARGIN = 0.08
const HALF_ROOT_3 = Math.sqrt(3) / 2

export interface Point {
  country: string
  latitude: number
  longitude: number
}

interface Box {
  left: number
  top: number
  width: number
  height: number
}

/** Boxes of the parts of each country, largest first. Tiny countries have none. */
const SHAPES = new Map(
  Array.from(WORLD.matchAll(/id="([A-Z]{2})" d="([^"]+)"/g), ([, country = '', path = '']) => [
    country,
    partsOf(path),
  ]),
)

/** Returns the boxes of a path. Each ring of the path is a point and steps to the next points. */
function partsOf(path: string): Box[] {
  const parts = path
    .split('M')
    .slice(1)
    .map(ring => {
      const numbers = (ring.match(/-?\d+/g) ?? []).map(Number)
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
    })
  return parts.sort((a, b) => b.width * b.height - a.width * a.height)
}

/** Returns the position of a point on the map, by the formula of Equal Earth. */
function project({ latitude, longitude }: Point): { x: number; y: number } {
  const angle = Math.asin(HALF_ROOT_3 * Math.sin((latitude * Math.PI) / 180))
  const square = angle * angle
  const sixth = square ** 3
  const slope = A1 + 3 * A2 * square + sixth * (7 * A3 + 9 * A4 * square)
  const x = ((longitude * Math.PI) / 180) * (Math.cos(angle) / (HALF_ROOT_3 * slope))
  const y = angle * (A1 + A2 * square + sixth * (A3 + A4 * square))
  return { x: CENTRE_X + SCALE * x, y: CENTRE_Y - SCALE * y }
}

interface Shade {
  title: string
  opacity: number
  href?: string
}

/** A map of the world. Countries without a shade are outlines. Hidden from screen readers: the page needs the same as text. */
export function WorldMap({ shades }: { shades: ReadonlyMap<string, Shade> }) {
  return (
    <svg class="world" viewBox="-5 -8 1010 456" aria-hidden="true">
      {[...SHAPES.keys()].map(country => {
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

/** Draws points on the part of their country around the first. Nothing for a tiny country. */
export function Outline({ points, label }: { points: readonly Point[]; label: string }) {
  const [first] = points
  const parts = SHAPES.get(first?.country ?? '')
  if (first === undefined || parts === undefined) return null
  const { x, y } = project(first)
  const contains = ({ left, top, width, height }: Box) =>
    x >= left - 1 && x <= left + width + 1 && y >= top - 1 && y <= top + height + 1
  const box = parts.find(contains) ?? parts[0]
  if (box === undefined) return null
  const size = Math.max(box.width, box.height)
  const margin = size * MARGIN
  const view = [box.left - margin, box.top - margin, box.width + 2 * margin, box.height + 2 * margin]
  return (
    <svg class="outline" viewBox={view.join(' ')} role="img" aria-label={label}>
      <use href={`${assetPath('world.svg')}#${first.country}`} stroke-width={size / 250} />
      {points
        .filter(({ country }) => country === first.country)
        .map(project)
        .map(({ x, y }) => (
          <circle cx={x.toFixed(3)} cy={y.toFixed(3)} r={(size / 60).toFixed(3)} />
        ))}
    </svg>
  )
}
