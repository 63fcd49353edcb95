/** Where a request came from, for people who look into what happened. Nothing is decided by it. */
import { isIP } from 'node:net'
import { TrustedProxies } from '../../forwarded.ts'
import { addressText, parseAddress } from '../../networks.ts'
import type { Dashboard, PageContext } from './dashboard.ts'

const known = new WeakMap<object, TrustedProxies>()

/**
 * The client's address, as trusted proxies name it. Without TRUSTED_PROXIES it is the connection's address, and in front of it the
 * last one that a proxy has added, which may be made up where there is none.
 */
export function peerOf(c: PageContext, { config }: Pick<Dashboard, 'config'>): string {
  const address = c.env.incoming?.socket.remoteAddress ?? ''
  const proxies = known.get(config.proxies) ?? new TrustedProxies(config.proxies)
  known.set(config.proxies, proxies)
  if (proxies.isEmpty) {
    const said = c.req.header('X-Forwarded-For')?.split(',').at(-1)?.trim() ?? ''
    return isIP(said) === 0 ? address : `${said} via ${address}`
  }
  const peer = parseAddress(address)
  if (peer === null) return address
  const client = proxies.clientOf(peer, c.req.header(proxies.header))
  return client === null ? `an address that is not known, via ${address}` : addressText(client)
}
