/** Where a request came from, for people who look into what happened. Nothing is decided by it. */
import { isIP } from 'node:net'
import type { PageContext } from './dashboard.ts'

/** The connection's address; in front of it the last one that a proxy has added, which may be made up where there is none. */
export function peerOf(c: PageContext): string {
  const address = c.env.incoming?.socket.remoteAddress ?? ''
  const said = c.req.header('X-Forwarded-For')?.split(',').at(-1)?.trim() ?? ''
  return isIP(said) === 0 ? address : `${said} via ${address}`
}
