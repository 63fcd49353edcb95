/**
 * Writes src/console/assets/world.svg, one path for each country on one map, and outlines.svg, with more points and each country for
 * itself, from the shapes of Natural Earth, which are in the public domain. To be run when `world-atlas` has a new version:
 *
 *   node deploy/world-map.mjs
 *
 * Countries smaller than a point of the map, such as Malta, have no shape.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { geoNaturalEarth1, geoPath } from 'd3-geo'
import { feature } from 'topojson-client'

const require = createRequire(import.meta.url)
const { iso1A2Code } = require('@rapideditor/country-coder')

const [WIDTH, HEIGHT] = [1000, 500]
/** Shapes without a number of ISO 3166-1. */
const NAMED = { Kosovo: 'XK' }
/** Size of the largest part of a country, and the shortest step, in units of outlines.svg. A page shows about 250 pixels. */
const [DETAIL, STEP_MIN] = [400, 2]
const UNMAPPED = ['Antarctica', 'Fr. S. Antarctic Lands']

const world = countriesOf('110m')
const projection = geoNaturalEarth1().fitExtent([[0, 0], [WIDTH, HEIGHT]], world)
// Without points between those of the shapes.
const outline = geoPath(projection.precision(WIDTH)).digits(0)

write('world.svg', world, country => `d="${shortened(outline(country) ?? '')}"`)
write('outlines.svg', countriesOf('50m'), outlineOf)

function countriesOf(scale) {
  const topology = JSON.parse(readFileSync(require.resolve(`world-atlas/countries-${scale}.json`)))
  const world = feature(topology, topology.objects.countries)
  world.features = world.features.filter(({ properties }) => !UNMAPPED.includes(properties.name))
  return world
}

function write(name, { features }, attributesOf) {
  const paths = new Map()
  for (const country of features) {
    const code = country.id === undefined ? NAMED[country.properties.name] : iso1A2Code(country.id)
    const attributes = attributesOf(country)
    // The first shape of a number is the country, and a later one a dependency.
    if (code && !attributes.includes('d=""') && !paths.has(code)) paths.set(code, `<path id="${code}" ${attributes}/>`)
  }
  writeFileSync(
    new URL(`../src/console/assets/${name}`, import.meta.url),
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}">\n${[...paths.values()].sort().join('\n')}\n</svg>\n`,
  )
}

/** Returns the outline of a country on a plane that touches the Earth in the middle of its largest part, which is DETAIL wide or high. */
function outlineOf({ geometry: { type, coordinates } }) {
  const rings = (type === 'Polygon' ? [coordinates] : coordinates).map(([outer]) => outer)
  const [[left, bottom, right, top]] = rings.map(boxOf).sort((a, b) => areaOf(b) - areaOf(a))
  const [longitude, latitude] = [(left + right) / 2, (bottom + top) / 2].map(degrees => Math.round(degrees * 100) / 100)
  const squeeze = Math.cos((latitude * Math.PI) / 180)
  const scale = Math.round(DETAIL / Math.max((right - left) * squeeze, top - bottom))
  const drawn = rings.map(ring => {
    const points = ring.map(([lon, lat]) => [
      Math.round((((lon - longitude + 540) % 360) - 180) * squeeze * scale),
      Math.round((latitude - lat) * scale),
    ])
    return ringOf(points.filter((point, at) => at === 0 || far(point, points, at)))
  })
  return `data-at="${longitude} ${latitude} ${scale}" d="${drawn.join('')}"`
}

function boxOf(ring) {
  const [xs, ys] = [ring.map(([x]) => x), ring.map(([, y]) => y)]
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

function areaOf([left, bottom, right, top]) {
  return (right - left) * (top - bottom)
}

/** True if a point is at least a pixel or two away from the point before. */
function far([x, y], points, at) {
  const [beforeX, beforeY] = points[at - 1]
  return Math.hypot(x - beforeX, y - beforeY) >= STEP_MIN
}

/** The rings of a path as steps from point to point, without steps of no length. */
function shortened(data) {
  const rings = data.split('Z').filter(ring => ring !== '')
  return rings.map(ring => ringOf(ring.slice(1).split('L').map(point => point.split(',').map(Number)))).join('')
}

function ringOf([[startX, startY], ...points]) {
  let [x, y] = [startX, startY]
  const steps = []
  for (const [nextX, nextY] of points) {
    if (nextX !== x || nextY !== y) steps.push(`${nextX - x} ${nextY - y}`)
    ;[x, y] = [nextX, nextY]
  }
  return steps.length < 3 ? '' : `M${startX} ${startY}l${steps.join(' ').replaceAll(' -', '-')}z`
}
