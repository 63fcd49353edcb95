/** The two filters of the usage page. */
import { USAGE_CLASSES } from '../../accounts/types.ts'
import type { KeyView } from '../../accounts/views.ts'
import type { UsageWish } from '../reports/usage-series.ts'
import { usagePath } from './usage-query.ts'

/** Keys that can be chosen: those used last. */
const KEYS_OFFERED_MAX = 100

export function UsageFilter({ wish, keys }: { wish: UsageWish; keys: readonly KeyView[] }) {
  const used = keys.filter(({ lastUsedMs }) => lastUsedMs !== null)
  const offered = used
    .toSorted((a, b) => (b.lastUsedMs ?? 0) - (a.lastUsedMs ?? 0))
    .filter(({ id }, index) => index < KEYS_OFFERED_MAX || id === wish.key)
  const isFiltered = wish.key !== null || wish.endpoint !== null
  return (
    <form method="get" action="/usage" class="row filter">
      {(['range', 'unit', 'split'] as const).map(name => (
        <input type="hidden" name={name} value={wish[name]} />
      ))}
      <label class="choice">
        Key
        <select name="key" data-submit>
          <option value="">All keys</option>
          {offered.map(({ id, label, start }) => (
            <option value={id} selected={id === wish.key}>
              {`${label || 'unnamed'} (${start}…)`}
            </option>
          ))}
        </select>
      </label>
      <label class="choice">
        Endpoint
        <select name="endpoint" data-submit>
          <option value="">All endpoints</option>
          {USAGE_CLASSES.map(name => (
            <option value={name} selected={name === wish.endpoint}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Show</button>
      {isFiltered && <a href={usagePath('/usage', { ...wish, key: null, endpoint: null })}>Show all</a>}
    </form>
  )
}
