/** An identity provider whose tokens have the claims that a test chooses. */
import { createHash, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import type { Browser } from './dashboard.ts'
import { listenUntilEnd } from './listening.ts'

export interface TokenOverrides {
  /** Claims that replace the honest ones; undefined removes one. */
  claims?: Record<string, unknown>
  /** True to sign with an unpublished key. */
  foreignKey?: boolean
}

export interface IdentityProvider {
  issuer: string
  /** Settings that make it the dashboard's only provider. */
  env: NodeJS.ProcessEnv
  overrides: TokenOverrides
  /** Returns the address to which an honest provider redirects the browser from `address`. */
  approve(authorization: URL): URL
  signIn(browser: Browser, path?: string): ReturnType<Browser['visit']>
}

/** The published key of every provider, and an unpublished one. */
const keys = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }))

export async function startIdentityProvider(t: Test): Promise<IdentityProvider> {
  const codes = new Map<string, URL>()
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const answer = (json: unknown, status = 200) => {
      response.writeHead(status, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(json))
    }
    if (request.url === '/.well-known/openid-configuration') return answer(metadata(provider.issuer))
    if (request.url === '/keys')
      return answer({ keys: [{ ...keys[0].publicKey.export({ format: 'jwk' }), kid: '1' }] })
    const form = new URLSearchParams(body)
    const asked = codes.get(form.get('code') ?? '')
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (asked?.searchParams.get('code_challenge') !== proof) return answer({ error: 'invalid_grant' }, 400)
    const key = keys[provider.overrides.foreignKey === true ? 1 : 0].privateKey
    const idToken = sign({ ...honestClaims(provider.issuer, asked), ...provider.overrides.claims }, key)
    return answer({ access_token: 'x', token_type: 'Bearer', id_token: idToken })
  })
  const issuer = `http://127.0.0.1:${await listenUntilEnd(t, server)}`
  const provider: IdentityProvider = {
    issuer,
    env: {
      OIDC_PROVIDERS: 'acme',
      OIDC_ACME_ISSUER: issuer,
      OIDC_ACME_CLIENT_ID: 'dashboard',
      OIDC_ACME_CLIENT_SECRET: 'secret',
    },
    overrides: {},
    approve(authorization) {
      const code = `code-${codes.size}`
      codes.set(code, authorization)
      const back = new URL(authorization.searchParams.get('redirect_uri') ?? '')
      back.search = new URLSearchParams({
        code,
        state: authorization.searchParams.get('state') ?? '',
        iss: issuer,
      }).toString()
      return back
    },
    async signIn(browser, path = '/sign-in/acme') {
      const begun = await browser.fetch(path)
      return browser.visit(provider.approve(new URL(begun.headers.get('Location') ?? '')).href)
    },
  }
  return provider
}

function metadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    authorization_response_iss_parameter_supported: true,
  }
}

function honestClaims(issuer: string, asked: URL): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000)
  const nonce = asked.searchParams.get('nonce')
  const person = { sub: 'ada', email: 'ada@example.com', email_verified: true }
  return { iss: issuer, aud: 'dashboard', iat: now, exp: now + 300, nonce, ...person }
}

function sign(claims: Record<string, unknown>, key: KeyObject): string {
  const part = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url')
  const content = `${part({ alg: 'ES256', kid: '1' })}.${part(claims)}`
  return `${content}.${createSign('SHA256').update(content).sign({ key, dsaEncoding: 'ieee-p1363' }, 'base64url')}`
}
