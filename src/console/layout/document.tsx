import { raw } from 'hono/html'
import type { PropsWithChildren } from 'hono/jsx'
import { assetPath } from '../assets/assets.ts'

/** @param props.theme `light` or `dark`; anything else follows the system */
export function Document(props: PropsWithChildren<{ title: string; theme?: string | undefined }>) {
  const { title, theme, children } = props
  return (
    <>
      {/* Without it, browsers use the layout rules of 1998. */}
      {raw('<!doctype html>')}
      <html lang="en" data-theme={theme}>
        <head>
          <meta charset="utf-8" />
          <title>{`${title} · postrie`}</title>
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
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
      <svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
        <path d="M12 4 6 12m6-8 6 8m0 0-4 8m4-8 4 8M6 12l-4 8m4-8 4 8" />
        <circle cx="12" cy="4" r="2.4" />
        <circle cx="18" cy="12" r="2.4" />
        <circle class="found" cx="14" cy="20" r="2.8" />
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
