/** What a key may be used for and from where. Only keys with such rules get here. */
import { USAGE_CLASSES, type UsageClass } from '../../accounts/endpoint-usage.ts'
import type { KeyRules } from '../../accounts/types.ts'
import { addressText, isInNetworks, NETWORK_WORDS } from '../../networks.ts'
import type { ApiRequest } from '../service.ts'
import { failWith } from './respond.ts'

const WHERE_TO_CHANGE = 'Its owner can change that under API keys in the account dashboard.'

/**
 * Holds a request against the rules of its key. When they refuse it, `request` holds the answer.
 * @param usage the class that the endpoint is counted in; null for one that is free, which every key may use
 */
export function isRefused(request: ApiRequest, rules: KeyRules, usage: UsageClass | null): boolean {
  const { networks, endpoints } = rules
  if (networks !== null && !mayComeFrom(request, networks)) return true
  if (usage === null || (endpoints & (1 << usage)) !== 0) return false
  const allowed = USAGE_CLASSES.filter((_, bit) => (endpoints & (1 << bit)) !== 0)
  const names = allowed.map(name => (name === 'bulk' ? 'validate-bulk' : name)).join(', ')
  const message = `This API key may be used for ${names || 'no endpoint'} only. ${WHERE_TO_CHANGE}`
  failWith(request, 'KEY_ENDPOINT', { message })
  return true
}

function mayComeFrom(request: ApiRequest, networks: Int32Array): boolean {
  const address = request.client.address()
  if (address !== null && isInNetworks(address, networks, 0, networks.length / NETWORK_WORDS)) return true
  const from = address === null ? 'an address that is not known' : addressText(address)
  const message = `This API key may be used from certain networks only, and this request came from ${from}. ${WHERE_TO_CHANGE}`
  failWith(request, 'KEY_ADDRESS', { message })
  return false
}
