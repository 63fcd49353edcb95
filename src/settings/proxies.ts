/** The proxies whose word on their clients counts. */
import { PROXY_HEADERS, type ProxySettings, TRUSTED_PROXIES_MAX } from '../forwarded.ts'
import { networkText, parseNetwork } from '../networks.ts'
import type { EnvReader } from './env.ts'

const EVERYBODY = ['0.0.0.0/0', '::/0']

/** `TRUSTED_PROXIES=10.0.0.0/8,2001:db8::7` and `TRUSTED_PROXIES_HEADER=forwarded`. */
export function readProxies(reader: EnvReader): ProxySettings {
  const texts = reader
    .text('TRUSTED_PROXIES', '')
    .split(',')
    .map(text => text.trim())
    .filter(text => text !== '')
  const networks: string[] = []
  for (const text of texts) {
    const network = parseNetwork(text)
    const shown = network && networkText(network)
    if (shown === null)
      reader.problem('TRUSTED_PROXIES', text, 'addresses or networks such as 10.0.0.0/8, separated by commas')
    else if (EVERYBODY.includes(shown))
      reader.problem('TRUSTED_PROXIES', text, 'proxies alone, since everybody could then be anybody')
    else networks.push(shown)
  }
  if (texts.length > TRUSTED_PROXIES_MAX)
    reader.problem('TRUSTED_PROXIES', `${texts.length} networks`, `at most ${TRUSTED_PROXIES_MAX}`)
  return { networks, header: reader.oneOf('TRUSTED_PROXIES_HEADER', 'x-forwarded-for', PROXY_HEADERS) }
}
