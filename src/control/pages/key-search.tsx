/** The form above the list of keys. */
import { Choice } from '../layout/parts.tsx'
import { KEY_ORDERS, KEY_STATES, type KeyQuery } from './key-query.ts'

export function KeySearch({ query }: { query: KeyQuery }) {
  return (
    <search>
      <form method="get" action="/keys" class="row">
        <label>
          Search
          <input
            type="search"
            name="q"
            value={query.wanted}
            placeholder="label, id or beginning of a key"
            maxlength={64}
          />
        </label>
        <Choice name="state" label="State" options={KEY_STATES} value={query.state} />
        <Choice name="order" label="Order" options={KEY_ORDERS} value={query.order} />
        <button type="submit">Show</button>
      </form>
    </search>
  )
}
