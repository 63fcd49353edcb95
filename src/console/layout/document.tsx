import { raw } from 'hono/html'
import type { PropsWithChildren } from 'hono/jsx'
import { assetPath } from '../assets/assets.ts'

/** @param props.theme `light` or `dark`; anything else follows the system */
export function Document(props: PropsWithChildren<{ title: string; theme?: string | undefined }>) {
  const { title, theme, children } = props
  const scheme = ['light', 'dark'].find(each => each === theme) ?? 'light dark'
  return (
    <>
      {/* Without it, browsers use the layout rules of 1998. */}
      {raw('<!doctype html>')}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <title>{`${title} · postrie`}</title>
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content={scheme} />
          <link rel="icon" href={assetPath('mark.svg')} type="image/svg+xml" />
          <link rel="stylesheet" href={assetPath('dashboard.css')} />
          <script defer src={assetPath('dashboard.js')} />
          {WAIT_FOR_END}
        </head>
        <body>
          {children}
          {/* The end of the page, which the browser waits for before it paints. */}
          <div id="end" hidden />
        </body>
      </html>
    </>
  )
}

// Half a table would be painted first, and its columns would then move. Raw, because Hono drops `blocking`.
const WAIT_FOR_END = raw('<link rel="expect" href="#end" blocking="render">')

export function Brand() {
  return (
    <a class="brand" href="/">
      <svg width="24" height="24" aria-hidden="true">
        <use href={`${assetPath('icons.svg')}#mark`} />
      </svg>
      postrie
    </a>
  )
}

export function Gate({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <Document title={title}>
      <main class="gate">
        <Brand />
        <section class="card">{children}</section>
      </main>
    </Document>
  )
}
