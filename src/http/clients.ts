/** Whose request it is: that of whoever is connected, or of the client that a trusted proxy names. */
import type { HttpResponse } from 'uWebSockets.js'
import { NO_PROXIES, type ProxySettings, TrustedProxies } from '../forwarded.ts'
import { addressWords } from '../networks.ts'
import { addressKey, wordsAddressKey } from './address.ts'
import { noteForwardedBy, notesOf } from './request-notes.ts'

export class Clients {
  readonly #proxies: TrustedProxies

  constructor(settings: ProxySettings = NO_PROXIES) {
    this.#proxies = new TrustedProxies(settings)
    if (!this.#proxies.isEmpty) noteForwardedBy(this.#proxies.header)
  }

  /** The client's address; null when a proxy does not say it, or when the connection is closed. */
  address(res: HttpResponse): Int32Array | null {
    const peer = addressWords(new Uint8Array(res.getRemoteAddress()))
    if (peer === null || this.#proxies.isEmpty) return peer
    return this.#proxies.clientOf(peer, notesOf(res)?.forwarded)
  }

  /** Whom failed keys are counted for. A client that is not known counts as the proxy. */
  key(res: HttpResponse): string {
    const address = this.#proxies.isEmpty ? null : this.address(res)
    return address === null ? addressKey(res.getRemoteAddress()) : wordsAddressKey(address)
  }

  /**
   * Whom a new connection is counted for; null: for nobody. A trusted proxy opens connections for all of its clients, and which of
   * them one is for is not known before it brings a request.
   */
  connectionKey(res: HttpResponse): string | null {
    const peer = this.#proxies.isEmpty ? null : addressWords(new Uint8Array(res.getRemoteAddress()))
    return peer !== null && this.#proxies.has(peer) ? null : addressKey(res.getRemoteAddress())
  }
}
