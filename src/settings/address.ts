/** Where a client on this machine reaches what listens on `host` and `port`. */

/** An address as a client writes it: any-address becomes loopback, IPv6 gets brackets. Nothing follows the port. */
export function httpAddress(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
