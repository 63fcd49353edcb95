/** The outermost frame of every page. */
import { raw } from 'hono/html'
import type { PropsWithChildren } from 'hono/jsx'
import type { HtmlEscapedString } from 'hono/utils/html'
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
          <title>{`${title} · postrie`}</title>
          {linksOf(style, ['page.js', ...scripts])}
        </head>
        <body>{children}</body>
      </html>
    </>
  )
}

/** By the names of what is linked: the same on every visit, and there are few of them. */
const links = new Map<string, HtmlEscapedString>()

function linksOf(style: AssetName, scripts: readonly AssetName[]): HtmlEscapedString {
  const names = [style, ...scripts].join(' ')
  const known = links.get(names)
  if (known !== undefined) return known
  const made = raw(
    (
      <>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href={assetPath('mark.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetPath(style)} />
        {scripts.map(name => (
          <script defer src={assetPath(name)} />
        ))}
      </>
    ).toString(),
  )
  links.set(names, made)
  return made
}
