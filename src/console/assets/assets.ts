/** Serves styles and scripts. Paths have a hash of the content, so that browsers can cache them forever. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { PageApp } from '../session/page-context.ts'

// From dist/src/console/assets to the source: the compiler does not copy styles and browser scripts.
export const ASSETS_FOLDER = new URL('../../../../src/console/assets/', import.meta.url)

/** Files of each asset, in their order, and its media type. */
const ASSETS = {
  'dashboard.css': [['styles/1-ground.css', 'styles/2-parts.css', 'styles/3-media.css'], 'text/css'],
  'mark.svg': [['mark.svg'], 'image/svg+xml'],
  'world.svg': [['world.svg'], 'image/svg+xml'],
  'icons.svg': [['icons.svg'], 'image/svg+xml'],
  'dashboard.js': [['page.js', 'keyboard.js', 'live.js', 'docs.js'], 'text/javascript'],
} as const

type AssetName = keyof typeof ASSETS

const LOADED = new Map(
  Object.entries(ASSETS).map(([name, [files, type]]) => {
    const bytes = Buffer.concat(files.map(file => readFileSync(new URL(file, ASSETS_FOLDER))))
    const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
    return [name, { bytes: new Uint8Array(bytes), type, path: `/assets/${tag}/${name}` }]
  }),
)

export const assetPath = (name: AssetName): string => LOADED.get(name)?.path ?? ''

export function addAssets(app: PageApp): void {
  app.get('/assets/:tag/:name', async c => {
    const asset = LOADED.get(c.req.param('name'))
    if (asset === undefined || c.req.path !== asset.path) return c.notFound()
    return c.body(asset.bytes, 200, {
      'Content-Type': `${asset.type}; charset=utf-8`,
      'Cache-Control': 'public, max-age=31536000, immutable',
    })
  })

  // Browsers and robots request these paths.
  app.get('/robots.txt', c => c.text('User-agent: *\nAllow: /coverage\nAllow: /docs\nDisallow: /\n'))
  app.get('/favicon.ico', c => c.redirect(assetPath('mark.svg')))
}
