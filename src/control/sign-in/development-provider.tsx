/**
 * An identity provider in the control plane, so that the real sign-in works on a fresh machine. Anybody with the token
 * (`development-door.tsx`) may sign in as any user. It exists only on loopback addresses.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { deleteCookie } from 'hono/cookie'
import type { Provider } from 'oidc-provider'
import { DEMO_EMAIL } from '../../demo-account.ts'
import { EMAIL_LENGTH_MAX } from '../../limits.ts'
import { isLoopback, type ProviderSettings } from '../../settings/config.ts'
import type { Dashboard, PageApp, PageContext } from '../dashboard.ts'
import { Gate } from '../layout/document.tsx'
import { Button } from '../layout/parts.tsx'
import { formText } from '../session/forms.ts'
import { throughDoorOnly } from './development-door.tsx'

const MOUNT = '/development/oidc'
export const DEVELOPMENT_ID = 'development'
const DEVELOPMENT_SIGN_IN_PATH = '/development/sign-in'

export interface DevelopmentProvider {
  readonly provider: Provider
  readonly settings: ProviderSettings
}

/** Creates the provider. @throws Error if `origin` is not loopback: the third check, after the settings and the host */
export async function createDevelopmentProvider(origin: string): Promise<DevelopmentProvider> {
  if (!isLoopback(new URL(origin).hostname))
    throw new Error(`development sign-in is not allowed on ${origin}: use a loopback address`)
  const settings: ProviderSettings = {
    id: DEVELOPMENT_ID,
    label: 'Continue as a developer',
    issuer: `${origin}${MOUNT}`,
    clientId: 'postrie-dashboard',
    clientSecret: randomBytes(32).toString('base64url'),
  }
  const provider = await quietly(async () => {
    // Loaded late: a server with a real provider does not need it.
    const { Provider } = await import('oidc-provider')
    return new Provider(
      settings.issuer,
      configuration(settings, `${origin}/sign-in/${DEVELOPMENT_ID}/callback`),
    )
  })
  return { provider, settings }
}

function configuration(
  { clientId, clientSecret }: ProviderSettings,
  redirectUri: string,
): Record<string, unknown> {
  // Not RSA: creating an RSA key would delay the start.
  const signingKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...signingKey, use: 'sig', alg: 'ES256' }] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    claims: { email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `${DEVELOPMENT_SIGN_IN_PATH}/${uid}` },
    // An account has only an email address.
    findAccount: (_: unknown, email: string) => ({
      accountId: email,
      claims: () => ({ sub: email, email, email_verified: true }),
    }),
    loadExistingGrant: grantAtOnce,
    ttl: { AccessToken: 600, IdToken: 600, Interaction: 600, Grant: 600, Session: 600 },
    renderError: (context: { body: unknown }, out: { error: string; error_description?: string }) => {
      context.body = `Sign-in failed: ${out.error_description ?? out.error}\n`
    },
  }
}

interface GrantContext {
  oidc: { provider: Provider; client: { clientId: string }; session: { accountId: string } }
}

/** Grants access without asking for consent, because the dashboard is the only client. */
async function grantAtOnce({ oidc }: GrantContext) {
  const grant = new oidc.provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId })
  grant.addOIDCScope('openid email')
  await grant.save()
  return grant
}

/** Paths that the server itself requests. All other paths are for browsers. */
const SERVER_PATHS = ['/.well-known/openid-configuration', '/jwks', '/token', '/me'].map(path => MOUNT + path)

/** Passes requests of the protocol to the provider, which writes the responses itself. */
export function mountDevelopmentProvider(
  app: PageApp,
  { provider }: DevelopmentProvider,
  dashboard: Dashboard,
): void {
  const respond = provider.callback()
  const door = throughDoorOnly(dashboard)
  app.use(`${MOUNT}/*`, (c, next) =>
    SERVER_PATHS.includes(c.req.path) && isUnproxied(c) ? next() : door(c, next),
  )
  app.all(`${MOUNT}/*`, async c => {
    const { incoming, outgoing } = c.env
    const url = incoming.url ?? '/'
    // Like Express: the provider derives its mount path from the two URLs.
    Object.assign(incoming, { originalUrl: url, url: url.slice(MOUNT.length) || '/' })
    await respond(incoming, outgoing)
    return RESPONSE_ALREADY_SENT
  })
}

/** True if the request may come from the server itself. A proxy without these headers is not detected. */
function isUnproxied(c: PageContext): boolean {
  return ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'Via'].every(
    name => c.req.header(name) === undefined,
  )
}

/** Ends the provider's own session in this browser, so that the next sign-in asks for an address. */
export function forgetDeveloper(c: PageContext): void {
  for (const name of ['_session', '_session.sig']) deleteCookie(c, name, { path: '/' })
}

/** Runs without output of the provider: its warnings are about production. */
async function quietly<T>(run: () => Promise<T>): Promise<T> {
  const { warn, info } = console
  Object.assign(console, { warn: () => {}, info: () => {} })
  try {
    return await run()
  } finally {
    Object.assign(console, { warn, info })
  }
}

export function addDevelopmentPages(
  app: PageApp,
  { provider }: DevelopmentProvider,
  dashboard: Dashboard,
): void {
  app.use(`${DEVELOPMENT_SIGN_IN_PATH}/*`, throughDoorOnly(dashboard))

  app.get(`${DEVELOPMENT_SIGN_IN_PATH}/:uid`, async c => {
    const interaction = await provider.interactionDetails(c.env.incoming, c.env.outgoing).catch(() => null)
    if (interaction === null) return c.redirect('/sign-in')
    return c.html(developmentSignIn(c.req.path))
  })

  app.post(`${DEVELOPMENT_SIGN_IN_PATH}/:uid`, async c => {
    const email = (await formText(c, 'email')).toLowerCase()
    if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > EMAIL_LENGTH_MAX) {
      return c.html(developmentSignIn(c.req.path, email, 'This is not an email address.'), 400)
    }
    // Writes the response itself: a redirect, or an error if no sign-in is in progress.
    await provider.interactionFinished(c.env.incoming, c.env.outgoing, { login: { accountId: email } })
    return RESPONSE_ALREADY_SENT
  })
}

function developmentSignIn(action: string, email = DEMO_EMAIL, problem?: string) {
  return (
    <Gate title="Development sign-in">
      <h1>Development sign-in</h1>
      <p class="muted">
        For development only: sign in as any user. The first start created the account{' '}
        <code>{DEMO_EMAIL}</code>. Another address creates a new account.
      </p>
      <form method="post" action={action} class="stack">
        <label>
          Email
          <input type="email" name="email" value={email} required maxlength={EMAIL_LENGTH_MAX} autofocus />
        </label>
        {problem !== undefined && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <Button kind="primary wide" text="Sign in" />
      </form>
    </Gate>
  )
}
