/** Serves styles and scripts. Their paths have a hash of the content, so that browsers can cache them forever. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { PageApp } from '../dashboard.ts'

// From dist/src/console/assets to the source: the compiler does not copy styles and browser scripts.
export const ASSETS_FOLDER = new URL('../../../../src/console/assets/', import.meta.url)

/** Files of each asset, in their order, and its media type. */
const ASSETS = {
  'dashboard.css': [['styles/1-ground.css', 'styles/2-parts.css', 'styles/3-media.css'], 'text/css'],
  'mark.svg': [['mark.svg'], 'image/svg+xml'],
  'world.svg': [['world.svg'], 'image/svg+xml'],
  'dashboard.js': [['page.js', 'keyboard.js', 'copy.js', 'live.js', 'docs.js'], 'text/javascript'],
} as const

type AssetName = keyof typeof ASSETS

interface Asset {
  bytes: Uint8Array<ArrayBuffer>
  tag: string
}

const loaded = new Map<AssetName, Asset>()

function assetOf(name: AssetName): Asset {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const bytes = new Uint8Array(
    Buffer.concat(ASSETS[name][0].map(file => readFileSync(new URL(file, ASSETS_FOLDER)))),
  )
  const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
  loaded.set(name, { bytes, tag })
  return { bytes, tag }
}

export function assetPath(name: AssetName): string {
  return `/assets/${assetOf(name).tag}/${name}`
}

export function addAssets(app: PageApp): void {
  app.get('/assets/:tag/:name', async c => {
    const name = c.req.param('name') as AssetName
    if (!Object.hasOwn(ASSETS, name) || c.req.path !== assetPath(name)) return c.notFound()
    return c.body(assetOf(name).bytes, 200, {
      'Content-Type': `${ASSETS[name][1]}; charset=utf-8`,
      'Cache-Control': 'public, max-age=31536000, immutable',
    })
  })

  // Browsers and robots request these paths.
  app.get('/robots.txt', c => c.text('User-agent: *\nAllow: /coverage\nAllow: /docs\nDisallow: /\n'))
  app.get('/favicon.ico', c => c.redirect(assetPath('mark.svg')))
}
