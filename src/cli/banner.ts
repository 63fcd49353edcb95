/** What a person sees when the service is ready. */

import type { Server } from '../server.ts'
import type { Config } from '../settings/config.ts'
import { bold, dim } from './output.ts'

/** Where everything is and, on the first start, the demo key with a line to try it. */
export function readyBanner(
  config: Config,
  server: Pick<Server, 'port' | 'entrance' | 'firstAccount'>,
): string {
  const api = address(config.host, server.port)
  const lines = [
    `${bold('postrie is ready')}`,
    `  API        ${api}`,
    `  dashboard  ${server.entrance}`,
    `  data       ${config.dataDir}`,
  ]
  if (server.firstAccount !== null) lines.push('', ...firstSteps(api, server.firstAccount.key))
  return `${lines.join('\n')}\n`
}

function firstSteps(api: string, key: string): string[] {
  return [
    `The account 'demo' has 1,000 free queries. ${bold('Its key is shown this once:')}`,
    `  ${key}`,
    '',
    dim('Try it:'),
    `  curl ${api}/api/lookup -H 'Content-Type: application/json' -d '{"zipcode":"90210","apiKey":"${key}"}'`,
  ]
}

/** A listening address as a client would write it: any-address is shown as loopback, IPv6 in brackets. */
export function address(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
