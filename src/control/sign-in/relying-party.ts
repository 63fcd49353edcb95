/** The dashboard as a client of identity providers: OpenID Connect, authorization code with PKCE, state and nonce. */
import * as oidc from 'openid-client'
import { IDENTITY_LENGTH_MAX, SIGN_IN_MS_MAX } from '../../limits.ts'
import { ExpiringMap } from '../../platform/expiring-map.ts'
import { isLoopback, type ProviderSettings } from '../../settings/config.ts'
import type { Seal } from '../session/seal.ts'

/** Maximum number of sign-ins whose answer has been used and must not be used again, while it could be. */
const USED_SIGN_INS_MAX = 10_000
/** Seconds by which the clock of a provider may be ahead of ours. */
export const CLOCK_SKEW_SECONDS_MAX = 300

export interface Person {
  issuer: string
  subject: string
  email: string | null
  /** True when the provider vouches that the person reads the mail of that address. */
  emailVerified: boolean
}

/** A sign-in in progress. Its browser keeps it, sealed: kept here, strangers could push out everybody's. */
interface Pending {
  provider: string
  state: string
  nonce: string
  verifier: string
  next: string
}

export class RelyingParty {
  readonly #providers: readonly ProviderSettings[]
  readonly #origin: string
  readonly #seal: Seal
  readonly #configurations = new Map<string, Promise<oidc.Configuration>>()
  /** Nonces of sign-ins that have ended well. Only a provider's signed answer adds one. */
  readonly #used = new ExpiringMap<true>(USED_SIGN_INS_MAX)

  constructor(providers: readonly ProviderSettings[], origin: string, seal: Seal) {
    this.#providers = providers
    this.#origin = origin
    this.#seal = seal
  }

  /**
   * Starts a sign-in: the address to send the browser to, and the cookie that it must come back with. Null when there is
   * no such provider. @throws when the provider does not answer
   * @param isChoice true: the provider lets the person choose an account, even when it knows one
   */
  async begin(
    providerId: string,
    next: string,
    isChoice: boolean,
  ): Promise<{ cookie: string; url: URL } | null> {
    const provider = this.#find(providerId)
    if (provider === undefined) return null
    const configuration = await this.#configurationOf(provider)
    const pending: Pending = {
      provider: providerId,
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      next,
    }
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri(providerId),
      scope: 'openid email',
      code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
      state: pending.state,
      nonce: pending.nonce,
      ...(isChoice && { prompt: choiceOf(configuration) }),
    })
    return { cookie: this.#seal.seal('sign-in', pending, Date.now() + SIGN_IN_MS_MAX), url }
  }

  /**
   * Ends a sign-in with what the provider sent the browser back with. Null when this browser has none in progress.
   * @throws when state, nonce, verifier, issuer, audience, signature, subject or time of the answer is wrong
   */
  async finish(
    providerId: string,
    cookie: string | undefined,
    query: string,
  ): Promise<{ person: Person; next: string } | null> {
    const pending = this.#seal.open('sign-in', cookie) as Pending | undefined
    const provider = this.#find(providerId)
    if (pending === undefined || provider === undefined || pending.provider !== providerId) return null
    const configuration = await this.#configurationOf(provider)
    const url = new URL(query, this.#redirectUri(providerId))
    const tokens = await oidc.authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: pending.verifier,
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims() as oidc.IDToken
    expectTimely(claims)
    expectSubject(claims.sub)
    // A provider that redeems a code twice must not make a copied cookie a second sign-in.
    if (this.#used.get(pending.nonce)) throw new Error('this sign-in has been completed before')
    this.#used.set(pending.nonce, true, SIGN_IN_MS_MAX)
    const profile =
      claims.email === undefined
        ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : claims
    const person = {
      issuer: claims.iss,
      subject: claims.sub,
      email: typeof profile.email === 'string' && profile.email !== '' ? profile.email : null,
      // Only the value true: some providers write the text "true" or "false", and neither is a proof.
      emailVerified: profile.email_verified === true,
    }
    return { person, next: pending.next }
  }

  #find(id: string): ProviderSettings | undefined {
    return this.#providers.find(provider => provider.id === id)
  }

  #redirectUri(providerId: string): string {
    return `${this.#origin}/sign-in/${providerId}/callback`
  }

  /** Discovered at the first sign-in, not at start: the service must run while a provider does not. */
  #configurationOf(provider: ProviderSettings): Promise<oidc.Configuration> {
    const known = this.#configurations.get(provider.id)
    if (known !== undefined) return known
    // All who sign in meanwhile wait for the same answer; a failure is not kept, so that the next sign-in asks again.
    const found = discover(provider)
    this.#configurations.set(provider.id, found)
    found.catch(() => this.#configurations.delete(provider.id))
    return found
  }
}

/** A provider that lists what it knows and not this one may refuse it; a fresh sign-in is what all of them can ask for. */
function choiceOf(configuration: oidc.Configuration): string {
  const known = configuration.serverMetadata().prompt_values_supported
  return Array.isArray(known) && !known.includes('select_account') ? 'login' : 'select_account'
}

function discover({ issuer, clientId, clientSecret }: ProviderSettings): Promise<oidc.Configuration> {
  // Signatures are checked even though the token comes straight from the provider: it costs one request for its keys.
  const execute = [oidc.enableNonRepudiationChecks]
  if (isLoopback(new URL(issuer).hostname)) execute.push(oidc.allowInsecureRequests)
  return oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, { execute })
}

/** The library checks the end of a token, not its beginning: one that is dated ahead would be good for years. */
function expectTimely({ iat }: oidc.IDToken): void {
  const seconds = iat - Date.now() / 1000
  if (seconds <= CLOCK_SKEW_SECONDS_MAX) return
  throw new Error(
    `the token was issued ${Math.round(seconds)} s in the future; expected at most ${CLOCK_SKEW_SECONDS_MAX} s`,
  )
}

/** A subject that the ledger would store in another form would be somebody else's: it is compared as it is or refused. */
function expectSubject(subject: string): void {
  const fits = subject.length >= 1 && subject.length <= IDENTITY_LENGTH_MAX && subject.trim() === subject
  if (fits && !/[\p{Cc}\p{Cs}]/u.test(subject)) return
  throw new Error(
    `the token's subject is ${JSON.stringify(subject.slice(0, 300))}; expected 1 to ${IDENTITY_LENGTH_MAX} printable characters without space at either end`,
  )
}
