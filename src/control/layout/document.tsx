/** The outermost frame of every page. */
import { raw } from 'hono/html'
import type { PropsWithChildren } from 'hono/jsx'
import { type AssetName, assetPath } from '../assets/assets.ts'

// Without it browsers fall back to the layout rules of 1998.
const DOCTYPE = raw('<!doctype html>')

interface DocumentProps {
  title: string
  /** Scripts that improve the page. It works without them. */
  scripts?: readonly AssetName[]
  style?: AssetName
}

export function Document({
  title,
  scripts = [],
  style = 'dashboard.css',
  children,
}: PropsWithChildren<DocumentProps>) {
  return (
    <>
      {DOCTYPE}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{`${title} · postrie`}</title>
          <link rel="icon" href={assetPath('mark.svg')} type="image/svg+xml" />
          <link rel="stylesheet" href={assetPath(style)} />
          {['page.js' as const, ...scripts].map(name => (
            <script defer src={assetPath(name)} />
          ))}
          <noscript>
            <link rel="stylesheet" href={assetPath('scriptless.css')} />
          </noscript>
        </head>
        <body>{children}</body>
      </html>
    </>
  )
}
