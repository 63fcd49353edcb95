/** Styles and scripts: read once, compressed once, addressed by their content so that browsers may keep them forever. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { PageApp } from '../shell/dashboard.ts'

// Seen from dist/src/control/assets: the compiler does not copy styles and browser scripts.
const OWN = new URL('../../../../src/control/assets/', import.meta.url)
const CHARTS = new URL('.', import.meta.resolve('uplot'))

const TYPES = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' } as const

const FILES = {
  'dashboard.css': [new URL('uPlot.min.css', CHARTS), ...styles()],
  'mark.svg': [new URL('mark.svg', OWN)],
  'copy.js': [new URL('copy.js', OWN)],
  'page.js': [new URL('page.js', OWN)],
  'live.js': [new URL('live.js', OWN)],
  'charts.js': [new URL('charts.js', OWN)],
  'uplot.js': [new URL('uPlot.iife.min.js', CHARTS)],
} as const

export type AssetName = keyof typeof FILES

interface Asset {
  bytes: Buffer
  gzipped: Buffer
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

const assets = new Map(Object.entries(FILES).map(([name, files]) => [name, load(name, files)]))

function load(name: string, files: readonly URL[]): Asset {
  const bytes = Buffer.concat(files.map(file => readFileSync(file)))
  const extension = name.slice(name.lastIndexOf('.') + 1) as keyof typeof TYPES
  return {
    bytes,
    gzipped: gzipSync(bytes, { level: 9 }),
    tag: createHash('sha256').update(bytes).digest('base64url').slice(0, 12),
    type: `${TYPES[extension]}; charset=utf-8`,
  }
}

/** The address of an asset; it changes when the content does. */
export function assetPath(name: AssetName): string {
  return `/assets/${assets.get(name)?.tag}/${name}`
}

/** What browsers and robots ask for by a fixed name. */
export function addWellKnown(app: PageApp): void {
  app.get('/robots.txt', c => c.text('User-agent: *\nAllow: /coverage\nDisallow: /\n'))
  app.get('/favicon.ico', c => c.redirect(assetPath('mark.svg')))
}

export function addAssets(app: PageApp): void {
  app.get('/assets/:tag/:name', c => {
    const asset = assets.get(c.req.param('name'))
    if (asset === undefined || asset.tag !== c.req.param('tag')) return c.notFound()
    const headers = {
      'Content-Type': asset.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
    }
    const gzip = /\bgzip\b/.test(c.req.header('Accept-Encoding') ?? '')
    if (!gzip) return c.body(new Uint8Array(asset.bytes), 200, headers)
    return c.body(new Uint8Array(asset.gzipped), 200, { ...headers, 'Content-Encoding': 'gzip' })
  })
}
