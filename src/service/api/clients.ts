/** Finds the client of a request: the peer of the connection, or the client that a trusted proxy names. */
import { TrustedProxies } from '../../platform/forwarded.ts'
import { addressWords, networkOfClient } from '../../platform/networks.ts'

/** Headers that say who asks. */
export interface ClientHeaders {
  /** Header of the proxies, unchecked. Several lines are joined by commas. */
  forwarded?: string
  /** API key of the first header that has one. Used if the body has none. */
  key?: string
}

/** Connection of a request, as uWebSockets.js gives it. */
export interface Connection {
  getRemoteAddress(): ArrayBuffer
  readonly notes?: ClientHeaders
}

export class Clients {
  readonly #proxies: TrustedProxies

  constructor(trustedProxies: readonly string[] = []) {
    this.#proxies = new TrustedProxies(trustedProxies)
  }

  get proxyHeader(): string | undefined {
    return this.#proxies.isEmpty ? undefined : this.#proxies.header
  }

  /** Returns the client's address; null if a proxy does not name it, or the connection is closed. */
  address(connection: Connection): Int32Array | null {
    const peer = peerOf(connection)
    if (peer === null || this.#proxies.isEmpty) return peer
    return this.#proxies.clientOf(peer, connection.notes?.forwarded)
  }

  /** Returns the network that failed keys are counted for. An unknown client counts as the proxy. */
  network(connection: Connection): string {
    const address = this.address(connection) ?? peerOf(connection)
    return address === null ? '' : networkOfClient(address)
  }
}

function peerOf(connection: Connection): Int32Array | null {
  return addressWords(new Uint8Array(connection.getRemoteAddress()))
}
