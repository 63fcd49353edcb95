/** The form above the list of keys, and the links to its other pages. */
import { count, plural } from '../layout/words.ts'
import { KEY_ORDERS, KEY_STATES, type KeyQuery, type KeysFound, keyListPath } from './key-query.ts'

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
            placeholder="label or beginning of a key"
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

interface ChoiceProps {
  name: string
  label: string
  options: Readonly<Record<string, string>>
  value: string
}

function Choice({ name, label, options, value }: ChoiceProps) {
  return (
    <label class="choice">
      {label}
      <select name={name}>
        {Object.entries(options).map(([option, text]) => (
          <option value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

export function PageLinks({ query, found }: { query: KeyQuery; found: KeysFound }) {
  const { page, pages, matches } = found
  if (pages === 1) return <p class="hint">{plural(matches, 'key')}</p>
  return (
    <nav class="actions" aria-label="Pages">
      {page > 1 && (
        <a class="button" href={keyListPath({ ...query, page: page - 1 })}>
          Previous
        </a>
      )}
      <span class="hint">
        Page {count(page)} of {count(pages)}, {plural(matches, 'key')}
      </span>
      {page < pages && (
        <a class="button" href={keyListPath({ ...query, page: page + 1 })}>
          Next
        </a>
      )}
    </nav>
  )
}
