/** The API reference: the OpenAPI document, and a page that draws it. Open to everybody, and without a session. */
import { openApiDocument } from '../../openapi/document.ts'
import { Document } from '../layout/document.tsx'
import { Mark } from '../layout/mark.tsx'
import { isSecure } from '../shell/cookies.ts'
import type { Dashboard, PageApp } from '../shell/dashboard.ts'
import { pageHeaders } from '../shell/page-headers.ts'
import { apiAddress } from './overview.tsx'

/**
 * Before the headers of all other pages: Swagger UI has its icons in its style sheet, as `data:` images, which no other page may
 * show.
 */
export function addReference(app: PageApp, dashboard: Dashboard): void {
  app.get('/docs', pageHeaders(isSecure(dashboard.origin), ['data:']), c =>
    c.html(
      <Document title="API reference" style="reference.css" scripts={['reference.js']}>
        <header class="reference-head">
          <a class="brand" href="/">
            <Mark />
            postrie
          </a>
          <a href="/try">Try it</a>
          <a href="/openapi.json">openapi.json</a>
        </header>
        <main id="reference" />
      </Document>,
    ),
  )
}

/** The document, for programs and for the page. The address of the API in it is the one that programs use. */
export function addOpenApi(app: PageApp, dashboard: Dashboard): void {
  let document: string | undefined
  app.get('/openapi.json', c => {
    document ??= JSON.stringify(openApiDocument(apiAddress(dashboard)))
    return c.body(document, 200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' })
  })
}
