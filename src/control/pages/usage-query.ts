/** What the usage page shows, as its address says it. */
import { USAGE_CLASSES } from '../../accounts/types.ts'
import type { KeyView } from '../../accounts/views.ts'
import { member } from '../layout/member.ts'
import { RANGES, SPLITS, UNITS, type UsageWish } from '../reports/usage-series.ts'

const USUAL: UsageWish = { range: '7d', split: 'endpoint', unit: 'queries', key: null, endpoint: null }

/**
 * What an address asks for. Whatever it does not understand is as if it were not there.
 * @param keys of the account: the id of any other key is not understood
 */
export function usageWish(params: URLSearchParams, keys: readonly KeyView[]): UsageWish {
  const key = params.get('key')
  return {
    range: member(RANGES, params.get('range')) ?? USUAL.range,
    split: member(SPLITS, params.get('split')) ?? USUAL.split,
    unit: member(UNITS, params.get('unit')) ?? USUAL.unit,
    key: keys.some(({ id }) => id === key) ? key : null,
    endpoint: USAGE_CLASSES.find(name => name === params.get('endpoint')) ?? null,
  }
}

/** The address of a page or a file that shows `wish`; what is as usual is left out. */
export function usagePath(path: '/usage' | '/usage.json' | '/usage.csv', wish: UsageWish): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(wish))
    if (value !== null && value !== USUAL[name as keyof UsageWish]) params.set(name, value)
  return params.size === 0 ? path : `${path}?${params}`
}
