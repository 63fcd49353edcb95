/**
 * An identity provider inside the control plane, so that the real sign-in works on a fresh machine. Whoever has come
 * through the door (`development-door.tsx`) may sign in as anybody, and it exists on loopback addresses only.
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
export const DEVELOPMENT_SIGN_IN_PATH = '/development/sign-in'

export interface DevelopmentProvider {
  readonly provider: Provider
  readonly settings: ProviderSettings
}

/** @throws Error when `origin` is anything but loopback: the last of three checks, after the settings and the host. */
export async function createDevelopmentProvider(origin: string): Promise<DevelopmentProvider> {
  if (!isLoopback(new URL(origin).hostname))
    throw new Error(`no development sign-in on ${origin}: it is not loopback`)
  const settings: ProviderSettings = {
    id: DEVELOPMENT_ID,
    label: 'Continue as a developer',
    issuer: `${origin}${MOUNT}`,
    clientId: 'postrie-dashboard',
    clientSecret: randomBytes(32).toString('base64url'),
  }
  const provider = await quietly(async () => {
    // Loaded here, so that a server with a real provider does not spend the time.
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
  // An elliptic curve: its key takes a millisecond, an RSA key would delay the start.
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
    // An account is its email and nothing else.
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

/** The only client is the dashboard itself, so nobody is asked for consent. */
async function grantAtOnce({ oidc }: GrantContext) {
  const grant = new oidc.provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId })
  grant.addOIDCScope('openid email')
  await grant.save()
  return grant
}

/** Paths that the dashboard's own server asks for; everything else there is for browsers. */
const SERVER_PATHS = ['/.well-known/openid-configuration', '/jwks', '/token', '/me'].map(path => MOUNT + path)

/** Hands the protocol's own requests over to the provider, which writes the response by itself. */
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
    // As Express does for a mounted application: the provider finds its mount path by comparing the two.
    Object.assign(incoming, { originalUrl: url, url: url.slice(MOUNT.length) || '/' })
    await respond(incoming, outgoing)
    return RESPONSE_ALREADY_SENT
  })
}

/** Returns true when a request of the server to itself may look like this. A proxy with default settings is not noticed. */
function isUnproxied(c: PageContext): boolean {
  return ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'Via'].every(
    name => c.req.header(name) === undefined,
  )
}

/** Ends the provider's own session in this browser, so that the next sign-in asks whom to sign in as. */
export function forgetDeveloper(c: PageContext): void {
  for (const name of ['_session', '_session.sig']) deleteCookie(c, name, { path: '/' })
}

/** Its warnings are for those who run it in production; here they would only worry a newcomer. */
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
    return c.html(<DevelopmentSignIn action={c.req.path} />)
  })

  app.post(`${DEVELOPMENT_SIGN_IN_PATH}/:uid`, async c => {
    const email = (await formText(c, 'email')).toLowerCase()
    if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > EMAIL_LENGTH_MAX) {
      const problem = 'That is not an email address.'
      return c.html(<DevelopmentSignIn action={c.req.path} {...{ email, problem }} />, 400)
    }
    // Writes the response itself: a redirect back into the protocol, or an error when no sign-in is in progress.
    await provider.interactionFinished(c.env.incoming, c.env.outgoing, { login: { accountId: email } })
    return RESPONSE_ALREADY_SENT
  })
}

interface DevelopmentSignInProps {
  action: string
  email?: string
  problem?: string
}

function DevelopmentSignIn({ action, email = DEMO_EMAIL, problem }: DevelopmentSignInProps) {
  return (
    <Gate title="Development sign-in">
      <h1>Development sign-in</h1>
      <p class="muted">
        For development only: sign in as anybody. The first start made the account <code>{DEMO_EMAIL}</code>.
        Another address opens a new account.
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
