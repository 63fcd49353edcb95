/** A fresh key, shown once with a request to try it. */

import { clientUrl } from '../../platform/server-address.ts'
import type { Endpoint } from '../../service/endpoints/endpoint.ts'
import { CHARGED, ENDPOINTS } from '../../service/endpoints/table.ts'
import { Copyable } from '../layout/parts.tsx'
import { takeFreshKey } from '../session/fresh-key.ts'
import { type Dashboard, pageContext } from '../session/page-context.ts'

export function FreshCard({ dashboard, isOff = false }: { dashboard: Dashboard; isOff?: boolean }) {
  const fresh = takeFreshKey(pageContext())
  if (fresh === undefined) return null
  const { label, key, endpoints } = fresh
  return (
    <section class="card fresh" aria-labelledby="fresh">
      <h2 id="fresh">The new secret{label === '' ? '' : ` of “${label}”`}</h2>
      <CopyKey secret={key} />
      <p class="muted">
        {isOff ? 'The key is off: this request gets 401 until you switch it on.' : 'Try it:'}
      </p>
      <Copyable text={curlLine(apiAddress(dashboard), key, endpoints)} label="Copy the command" />
    </section>
  )
}

export function CopyKey({ secret }: { secret: string }) {
  return (
    <>
      <p>
        Copy it now. <strong>It is not shown again.</strong> Nobody can look it up later.
      </p>
      <Copyable text={secret} label="Copy the key" />
    </>
  )
}

export function apiAddress({ config, dataPlane }: Dashboard): string {
  return config.apiUrl ?? clientUrl(config.host, dataPlane.port)
}

/** Returns a request for a shell. @param endpoints that the key may use; null for all */
export function curlLine(api: string, key: string, endpoints: readonly string[] | null = null): string {
  const allowed = CHARGED.find(({ name }) => endpoints?.includes(name) ?? true) ?? ENDPOINTS.lookup
  return curlOf(api, allowed, key)
}

export function curlOf(api: string, { name, example }: Pick<Endpoint, 'name' | 'example'>, key: string) {
  const body = JSON.stringify({ ...example.body, apiKey: key }).replaceAll("'", "'\\''")
  return `curl ${api}/api/${name} \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`
}
