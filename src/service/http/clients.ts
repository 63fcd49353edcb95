/** Finds the client of a request: the peer of the connection, or the client that a trusted proxy names. */
import type { HttpResponse } from 'uWebSockets.js'
import { TrustedProxies } from '../../platform/forwarded.ts'
import { addressWords, networkOfClient } from '../../platform/networks.ts'

export class Clients {
  readonly #proxies: TrustedProxies

  constructor(trustedProxies: readonly string[] = []) {
    this.#proxies = new TrustedProxies(trustedProxies)
  }

  get proxyHeader(): string | undefined {
    return this.#proxies.isEmpty ? undefined : this.#proxies.header
  }

  /** Returns the client's address; null if a proxy does not name it, or the connection is closed. */
  address(res: HttpResponse): Int32Array | null {
    const peer = peerOf(res)
    if (peer === null || this.#proxies.isEmpty) return peer
    return this.#proxies.clientOf(peer, res.notes?.forwarded)
  }

  /** Returns the network that failed keys are counted for. An unknown client counts as the proxy. */
  network(res: HttpResponse): string {
    const address = this.address(res) ?? peerOf(res)
    return address === null ? '' : networkOfClient(address)
  }
}

function peerOf(res: HttpResponse): Int32Array | null {
  return addressWords(new Uint8Array(res.getRemoteAddress()))
}
