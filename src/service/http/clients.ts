/** Finds the client of a request: the peer of the connection, or the client that a trusted proxy names. */
import type { HttpResponse } from 'uWebSockets.js'
import { NO_PROXIES, type ProxyHeader, type ProxySettings, TrustedProxies } from '../../platform/forwarded.ts'
import { addressWords } from '../../platform/networks.ts'
import { notesOf } from './request-head.ts'

const MAPPED_IPV4 = 0xffff

export class Clients {
  readonly #proxies: TrustedProxies

  constructor(settings: ProxySettings = NO_PROXIES) {
    this.#proxies = new TrustedProxies(settings)
  }

  get proxyHeader(): ProxyHeader | undefined {
    return this.#proxies.isEmpty ? undefined : this.#proxies.header
  }

  /** Returns the client's address; null if a proxy does not name it, or the connection is closed. */
  address(res: HttpResponse): Int32Array | null {
    const peer = peerOf(res)
    if (peer === null || this.#proxies.isEmpty) return peer
    return this.#proxies.clientOf(peer, notesOf(res)?.forwarded)
  }

  /** Returns the network that failed keys are counted for. An unknown client counts as the proxy. */
  network(res: HttpResponse): string {
    const address = this.address(res) ?? peerOf(res)
    return address === null ? '' : networkOf(address)
  }
}

function peerOf(res: HttpResponse): Int32Array | null {
  return addressWords(new Uint8Array(res.getRemoteAddress()))
}

/** Returns a name of an IPv4 address, or of the /64 of an IPv6 address. */
export function networkOf([first, second, third, fourth]: Int32Array): string {
  const isIPv4 = first === 0 && second === 0 && third === MAPPED_IPV4
  return isIPv4 ? String(fourth) : `${first} ${second}`
}
