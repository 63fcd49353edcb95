/** The dashboard as a client of identity providers: OpenID Connect, authorization code with PKCE, state and nonce. */
import * as oidc from 'openid-client'
import { SIGN_IN_MS_MAX, SIGN_INS_MAX } from '../../limits.ts'
import { isLoopback, type ProviderSettings } from '../../settings/dashboard-settings.ts'
import { ExpiringMap } from '../shell/expiring-map.ts'

/** Who somebody is, in the words of a provider that has proved it. */
export interface Person {
  issuer: string
  subject: string
  email: string | null
  emailVerified: boolean
}

/** A sign-in under way, known by the random handle in its browser's cookie. */
interface Pending {
  provider: string
  state: string
  nonce: string
  verifier: string
  /** Where the browser wanted to go. */
  next: string
}

export class RelyingParty {
  readonly #providers: readonly ProviderSettings[]
  readonly #origin: string
  readonly #pending = new ExpiringMap<Pending>(SIGN_INS_MAX)
  readonly #configurations = new Map<string, oidc.Configuration>()

  constructor(providers: readonly ProviderSettings[], origin: string) {
    this.#providers = providers
    this.#origin = origin
  }

  /** Starts a sign-in. Null when there is no such provider. @throws when the provider does not answer */
  async begin(providerId: string, next: string): Promise<{ handle: string; url: URL } | null> {
    const provider = this.#find(providerId)
    if (provider === undefined) return null
    const configuration = await this.#configurationOf(provider)
    const verifier = oidc.randomPKCECodeVerifier()
    const pending = {
      provider: providerId,
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier,
      next,
    }
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri(providerId),
      scope: 'openid email',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: pending.state,
      nonce: pending.nonce,
    })
    const handle = oidc.randomState()
    this.#pending.set(handle, pending, SIGN_IN_MS_MAX)
    return { handle, url }
  }

  /**
   * Ends a sign-in with what the provider sent the browser back with. Null when this browser has none under way.
   * @throws when state, nonce, verifier, issuer, audience, signature or time of the answer is wrong
   */
  async finish(
    providerId: string,
    handle: string | undefined,
    query: string,
  ): Promise<{ person: Person; next: string } | null> {
    // Taken, not read: a code can be redeemed once, and a second try with the same handle must not pass.
    const pending = handle === undefined ? undefined : this.#pending.take(handle)
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
    const profile =
      claims.email === undefined
        ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : claims
    const email = typeof profile.email === 'string' ? profile.email : null
    const person = {
      issuer: claims.iss,
      subject: claims.sub,
      email,
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
  async #configurationOf({
    id,
    issuer,
    clientId,
    clientSecret,
  }: ProviderSettings): Promise<oidc.Configuration> {
    const known = this.#configurations.get(id)
    if (known !== undefined) return known
    // Signatures are checked even though the token comes straight from the provider: it costs one request for its keys.
    const execute = [oidc.enableNonRepudiationChecks]
    if (isLoopback(new URL(issuer).hostname)) execute.push(oidc.allowInsecureRequests)
    const found = await oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, { execute })
    this.#configurations.set(id, found)
    return found
  }
}
