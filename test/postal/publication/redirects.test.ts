/** An index from an https address must never travel over http, not even in a redirect. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer as createPlain, type RequestListener } from 'node:http'
import { createServer as createSecure } from 'node:https'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fetchManifest } from '../../../src/postal/publication/fetch-index.ts'
import type { Manifest } from '../../../src/postal/publication/manifest.ts'
import { listenUntilEnd } from '../../support/listening.ts'
import { pathOf, without } from '../../support/programs.ts'

const MANIFEST: Manifest = { build: 'a'.repeat(32), bytes: 1, sha256: 'b'.repeat(64), codes: 1, countries: 1 }
const NEVER = new AbortController().signal

async function serve(t: Test, answer: RequestListener, tls?: { key: Buffer; cert: Buffer }): Promise<string> {
  const server = tls === undefined ? createPlain(answer) : createSecure(tls, answer)
  return `http${tls === undefined ? '' : 's'}://127.0.0.1:${await listenUntilEnd(t, server)}`
}

const to =
  (address: string): RequestListener =>
  (_, response) =>
    response.writeHead(302, { location: address }).end()
const manifest: RequestListener = (_, response) => response.end(JSON.stringify(MANIFEST))

t.test('an http redirect between two https ones is refused', { skip: without('openssl') }, async t => {
  const dir = t.testdir()
  const [keyFile, certFile] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
  const files = ['-keyout', keyFile, '-out', certFile, '-days', '1', '-subj', '/CN=127.0.0.1']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync(pathOf('openssl'), ['req', '-x509', ...kind, ...files], { stdio: 'ignore' })
  const tls = { key: readFileSync(keyFile), cert: readFileSync(certFile) }
  // The certificate of this test is self-signed.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.teardown(() => {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  })
  const found = await serve(t, manifest, tls)
  const secure = await serve(t, to(`${found}/index.json`), tls)
  const clear = await serve(t, to(`${found}/index.json`))
  const through = await serve(t, to(`${clear}/index.json`), tls)
  const fetched = (url: string) => fetchManifest({ url: `${url}/index.json`, publicKey: null }, NEVER)
  t.match(await fetched(secure), MANIFEST, 'redirects within https are followed')
  await t.rejects(fetched(through), { name: 'DownloadError', message: /leads to http:.*expected https/ })
})

t.test('an endless redirect ends', async t => {
  let url = ''
  url = await serve(t, (_, response) => response.writeHead(307, { location: `${url}/again` }).end())
  const endless = fetchManifest({ url: `${url}/index.json`, publicKey: null }, NEVER)
  await t.rejects(endless, { message: /has more than 10 redirections/ })
})

t.test("messages and the log hide the signature in an index's address", async t => {
  const refusing = await serve(t, (_, response) => response.writeHead(403).end())
  const leading = await serve(t, to(`${refusing}/index.json?X-Amz-Signature=hunter2`))
  for (const url of [`${refusing}/index.json?token=hunter2`, `${leading}/index.json?token=hunter2`]) {
    const failure = await fetchManifest({ url, publicKey: null }, NEVER).catch(String)
    t.match(failure, /index\.json\?… is answered 403/)
    t.notMatch(failure, 'hunter2')
  }
})
