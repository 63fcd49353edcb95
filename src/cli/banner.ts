/** What a person sees when the service is ready. */
import type { FirstAccount } from '../first-start.ts'
import { NEW_ACCOUNT_CREDIT_MICROS, QUERY_PRICE_MICROS } from '../limits.ts'
import { address } from '../platform/address.ts'
import type { Server } from '../server.ts'
import type { Config } from '../settings/config.ts'
import { bold, dim } from './output.ts'

const FREE_QUERIES = (NEW_ACCOUNT_CREDIT_MICROS / QUERY_PRICE_MICROS).toLocaleString('en')

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
  const lines = [
    `The account 'demo' has ${FREE_QUERIES} free queries. ${bold('Its key is shown this once:')}`,
    `  ${key}`,
    '',
    dim('Try it:'),
    `  curl ${api}/api/lookup -H 'Content-Type: application/json' -d '{"zipcode":"90210","apiKey":"${key}"}'`,
    '',
  ]
  return `${lines.join('\n')}\n`
}
