/** The client of identity providers: OpenID Connect with authorization code, PKCE, state and nonce. */
import * as oidc from 'openid-client'
import { IDENTITY_LENGTH_MAX } from '../../billing/limits.ts'
import { ExpiringMap } from '../../platform/expiring-map.ts'
import { isLoopback, type ProviderSettings } from '../../platform/settings/config.ts'
import { expectTimely, MINUTE_MS } from '../../platform/time.ts'
import type { Signer } from '../session/signer.ts'

/** Time in which a sign-in must come back from its provider. */
const SIGN_IN_MS_MAX = 10 * MINUTE_MS

/** Maximum number of remembered sign-ins that must not be repeated. */
const USED_SIGN_INS_MAX = 10_000

export interface Person {
  issuer: string
  subject: string
  email: string | null
  emailVerified: boolean
}

/** A sign-in in progress. The browser keeps it signed: in memory, strangers could push out other sign-ins. */
type Pending = { provider: string; state: string; nonce: string; verifier: string; next: string }

export function createRelyingParty(providers: readonly ProviderSettings[], origin: string, signer: Signer) {
  const configurations = new Map<string, Promise<oidc.Configuration>>()
  const used = new ExpiringMap<true>(USED_SIGN_INS_MAX)

  const find = (id: string) => providers.find(provider => provider.id === id)
  const redirectUri = (providerId: string) => `${origin}/sign-in/${providerId}/callback`

  /** Discovers a provider at its first sign-in. The service must start even if a provider is down. */
  function configurationOf(provider: ProviderSettings): Promise<oidc.Configuration> {
    const known = configurations.get(provider.id)
    if (known !== undefined) return known
    // Concurrent sign-ins share one request. A failure is not kept.
    const found = discover(provider)
    configurations.set(provider.id, found)
    found.catch(() => configurations.delete(provider.id))
    return found
  }

  return {
    /** Returns where to redirect, and a cookie; null for no provider. @param isChoice to choose an account */
    async begin(providerId: string, next: string, isChoice: boolean) {
      const provider = find(providerId)
      if (provider === undefined) return null
      const configuration = await configurationOf(provider)
      const pending: Pending = {
        provider: providerId,
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
        next,
      }
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri(providerId),
        scope: 'openid email',
        code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
        state: pending.state,
        nonce: pending.nonce,
        ...(isChoice && { prompt: choiceOf(configuration) }),
      })
      return { cookie: signer.sign('sign-in', pending, Date.now() + SIGN_IN_MS_MAX), url }
    },
    /** Returns null if no sign-in is in progress here. @throws Error if the provider's answer is wrong */
    async finish(providerId: string, cookie: string | undefined, query: string) {
      const pending = signer.verify('sign-in', cookie) as Pending | undefined
      const provider = find(providerId)
      if (pending === undefined || provider === undefined || pending.provider !== providerId) return null
      const configuration = await configurationOf(provider)
      const url = new URL(query, redirectUri(providerId))
      const tokens = await oidc.authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: pending.verifier,
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        idTokenExpected: true,
      })
      const claims = tokens.claims() as oidc.IDToken
      expectTimely('the token', claims.iat)
      expectSubject(claims.sub)
      // Even if the provider accepts a code twice, a copied cookie must not.
      if (used.get(pending.nonce)) throw new Error('this sign-in has been completed before')
      used.set(pending.nonce, true, SIGN_IN_MS_MAX)
      const profile =
        claims.email === undefined
          ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : claims
      const person: Person = {
        issuer: claims.iss,
        subject: claims.sub,
        email: typeof profile.email === 'string' && profile.email !== '' ? profile.email : null,
        // Only the boolean true: some providers send the text "true" or "false".
        emailVerified: profile.email_verified === true,
      }
      return { person, next: pending.next }
    },
  }
}

/** A provider may refuse `select_account` if it lists other prompts; all know `login`. */
function choiceOf(configuration: oidc.Configuration): string {
  const known = configuration.serverMetadata().prompt_values_supported
  return Array.isArray(known) && !known.includes('select_account') ? 'login' : 'select_account'
}

function discover({ issuer, clientId, clientSecret }: ProviderSettings): Promise<oidc.Configuration> {
  // Also checks signatures of tokens that come directly from the provider, with one request for its keys.
  const execute = [oidc.enableNonRepudiationChecks]
  if (isLoopback(new URL(issuer).hostname)) execute.push(oidc.allowInsecureRequests)
  return oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, { execute })
}

/** Refuses a subject that the ledger would store in another form, as another person's. @throws Error */
function expectSubject(subject: string): void {
  const fits = subject.length >= 1 && subject.length <= IDENTITY_LENGTH_MAX && subject.trim() === subject
  if (fits && !/[\p{Cc}\p{Cs}]/u.test(subject)) return
  throw new Error(
    `the token's subject is ${JSON.stringify(subject.slice(0, 300))}; expected 1 to ${IDENTITY_LENGTH_MAX} printable characters without space at either end`,
  )
}
