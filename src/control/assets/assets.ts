/** Styles and scripts: read and compressed when first asked for, addressed by their content so that browsers may keep them forever. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { PageApp } from '../shell/dashboard.ts'

// Seen from dist/src/control/assets: the compiler does not copy styles and browser scripts.
const OWN = new URL('../../../../src/control/assets/', import.meta.url)
const CHARTS = new URL('.', import.meta.resolve('uplot'))
const REFERENCE = new URL('.', import.meta.resolve('swagger-ui-dist'))

const TYPES = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' } as const

const FILES = {
  'dashboard.css': [new URL('uPlot.min.css', CHARTS), ...styles()],
  'scriptless.css': [new URL('scriptless.css', OWN)],
  'mark.svg': [new URL('mark.svg', OWN)],
  'copy.js': [new URL('copy.js', OWN)],
  'page.js': [new URL('page.js', OWN)],
  'live.js': [new URL('live.js', OWN)],
  'charts.js': [new URL('charts.js', OWN)],
  'reference.js': [new URL('swagger-ui-bundle.js', REFERENCE), new URL('reference.js', OWN)],
  'reference.css': [new URL('swagger-ui.css', REFERENCE), new URL('reference.css', OWN)],
  'uplot.js': [new URL('uPlot.iife.min.js', CHARTS)],
} as const

export type AssetName = keyof typeof FILES

interface Asset {
  bytes: Buffer
  /** Compressed on Node's thread pool: the API reference has 1.7 MB. */
  gzipped: Promise<Buffer>
  tag: string
  type: string
}

/** The style sheet is written in parts, joined in the order of their names. */
function styles(): URL[] {
  const folder = new URL('styles/', OWN)
  return readdirSync(folder)
    .sort()
    .map(name => new URL(name, folder))
}

const gzipped = promisify(gzip)
const assets = new Map<string, Asset>()

function assetOf(name: AssetName): Asset {
  const known = assets.get(name)
  if (known !== undefined) return known
  const asset = load(name, FILES[name])
  assets.set(name, asset)
  return asset
}

function load(name: string, files: readonly URL[]): Asset {
  const bytes = Buffer.concat(files.map(file => readFileSync(file)))
  const extension = name.slice(name.lastIndexOf('.') + 1) as keyof typeof TYPES
  return {
    bytes,
    gzipped: gzipped(bytes),
    tag: createHash('sha256').update(bytes).digest('base64url').slice(0, 12),
    type: `${TYPES[extension]}; charset=utf-8`,
  }
}

/** The address of an asset; it changes when the content does. */
export function assetPath(name: AssetName): string {
  return `/assets/${assetOf(name).tag}/${name}`
}

/** What browsers and robots ask for by a fixed name. */
export function addWellKnown(app: PageApp): void {
  app.get('/robots.txt', c => c.text('User-agent: *\nAllow: /coverage\nDisallow: /\n'))
  app.get('/favicon.ico', c => c.redirect(assetPath('mark.svg')))
}

export function addAssets(app: PageApp): void {
  app.get('/assets/:tag/:name', async c => {
    const name = c.req.param('name')
    if (!isAsset(name)) return c.notFound()
    const asset = assetOf(name)
    if (asset.tag !== c.req.param('tag')) return c.notFound()
    const headers = {
      'Content-Type': asset.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
    }
    const gzip = /\bgzip\b/.test(c.req.header('Accept-Encoding') ?? '')
    if (!gzip) return c.body(new Uint8Array(asset.bytes), 200, headers)
    return c.body(new Uint8Array(await asset.gzipped), 200, { ...headers, 'Content-Encoding': 'gzip' })
  })
}

function isAsset(name: string): name is AssetName {
  return Object.hasOwn(FILES, name)
}
