/** A real identity provider, oidc-provider, in which ada@example.com always answers at once. */
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import type { Test } from 'tap'
import { listenUntilEnd } from './listening.ts'

const INTERACTION = '/interaction/'

/** Starts the provider as `acme`. `env` makes it the only provider of the dashboard at `origin`. */
export async function startRealProvider(t: Test) {
  let provider: Provider
  let callback: ReturnType<Provider['callback']>
  const server = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith(INTERACTION)) return callback(incoming, outgoing)
    real.asked++
    return provider.interactionFinished(incoming, outgoing, { login: { accountId: 'ada@example.com' } })
  })
  const issuer = `http://127.0.0.1:${await listenUntilEnd(t, server)}`
  const real = {
    /** Number of times that the provider asked who signs in. */
    asked: 0,
    env: {
      OIDC_PROVIDERS: 'acme',
      OIDC_ACME_ISSUER: issuer,
      OIDC_ACME_CLIENT_ID: 'dashboard',
      OIDC_ACME_CLIENT_SECRET: 'a secret of the dashboard',
    },
    /** Serves a dashboard with a new signing key. */
    serve(origin: string): void {
      provider = new Provider(issuer, configuration(`${origin}/sign-in/acme/callback`, real.env))
      callback = provider.callback()
    },
  }
  return real
}

interface GrantContext {
  oidc: { provider: Provider; client: { clientId: string }; session: { accountId: string } }
}

function configuration(
  redirectUri: string,
  env: { OIDC_ACME_CLIENT_ID: string; OIDC_ACME_CLIENT_SECRET: string },
) {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  return {
    clients: [
      {
        client_id: env.OIDC_ACME_CLIENT_ID,
        client_secret: env.OIDC_ACME_CLIENT_SECRET,
        redirect_uris: [redirectUri],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...key, use: 'sig', alg: 'ES256' }] },
    cookies: { keys: ['a key of cookies'] },
    claims: { email: ['email', 'email_verified'] },
    discovery: { prompt_values_supported: ['none', 'login', 'consent'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `${INTERACTION}${uid}` },
    findAccount: (_: unknown, email: string) => ({
      accountId: email,
      claims: () => ({ sub: email, email, email_verified: true }),
    }),
    async loadExistingGrant({ oidc }: GrantContext) {
      const grant = new oidc.provider.Grant({
        accountId: oidc.session.accountId,
        clientId: oidc.client.clientId,
      })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
  }
}
