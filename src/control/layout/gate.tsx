/** The frame of pages that need no sign-in: one small card. */
import type { PropsWithChildren } from 'hono/jsx'
import { Document } from './document.tsx'
import { Mark } from './mark.tsx'

export function Gate({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <Document title={title}>
      <main class="gate">
        <a class="brand" href="/">
          <Mark />
          postrie
        </a>
        <section class="card">{children}</section>
      </main>
    </Document>
  )
}
