/**
 * Writes src/console/assets/world.svg, one path for each country, from the shapes of Natural Earth, which are in the public domain. To
 * be run when `world-atlas` has a new version:
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
const UNMAPPED = ['Antarctica', 'Fr. S. Antarctic Lands']

const world = countries()
const projection = geoNaturalEarth1().fitExtent([[0, 0], [WIDTH, HEIGHT]], world)
// Without points between those of the shapes.
const outline = geoPath(projection.precision(WIDTH)).digits(0)

write(world)

function countries() {
  const topology = JSON.parse(readFileSync(require.resolve('world-atlas/countries-110m.json')))
  const world = feature(topology, topology.objects.countries)
  world.features = world.features.filter(({ properties }) => !UNMAPPED.includes(properties.name))
  return world
}

function write({ features }) {
  const paths = new Map()
  for (const country of features) {
    const code = country.id === undefined ? NAMED[country.properties.name] : iso1A2Code(country.id)
    const path = shortened(outline(country) ?? '')
    // The first shape of a number is the country, and a later one a dependency.
    if (code && path !== '' && !paths.has(code)) paths.set(code, `<path id="${code}" d="${path}"/>`)
  }
  writeFileSync(
    new URL('../src/console/assets/world.svg', import.meta.url),
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}">\n${[...paths.values()].sort().join('\n')}\n</svg>\n`,
  )
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
