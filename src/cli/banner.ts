/** What a person sees when the service is ready. */
import type { FirstAccount } from '../first-start.ts'
import { NEW_ACCOUNT_CREDIT_MICROS, QUERY_PRICE_MICROS } from '../limits.ts'
import { address } from '../platform/address.ts'
import type { Server } from '../server.ts'
import type { Config } from '../settings/config.ts'
import { bold, dim } from './output.ts'

/** Where everything is. */
export function readyBanner(config: Config, server: Pick<Server, 'port' | 'entrance'>): string {
  const lines = [
    `${bold('postrie is ready')}`,
    `  API        ${address(config.host, server.port)}`,
    `  dashboard  ${server.entrance}`,
    `  data       ${config.dataDir}`,
  ]
  return `${lines.join('\n')}\n`
}

/** The demo key of a first start, with a line to try it. */
export function firstKeyBanner(config: Config, port: number, { key }: FirstAccount): string {
  const api = address(config.host, port)
  // Here and not when the file is loaded: the first number that is written in a language loads its tables, and costs 15 ms.
  const freeQueries = (NEW_ACCOUNT_CREDIT_MICROS / QUERY_PRICE_MICROS).toLocaleString('en')
  const lines = [
    `The account 'demo' has ${freeQueries} free queries. ${bold('Its key is shown this once:')}`,
    `  ${key}`,
    '',
    dim('Try it:'),
    `  curl ${api}/api/lookup -H 'Content-Type: application/json' -d '{"zipcode":"90210","apiKey":"${key}"}'`,
    '',
  ]
  return `${lines.join('\n')}\n`
}
