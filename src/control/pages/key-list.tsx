/** The list of keys, the form for a new one, and, once, a new key itself. */
import type { KeyView } from '../../accounts/views.ts'
import { LABEL_LENGTH_MAX } from '../../limits.ts'
import { Field } from '../layout/field.tsx'
import { Page } from '../layout/page.tsx'
import { Pages } from '../layout/pager.tsx'
import { Copyable, Form, Section, Table, Time } from '../layout/parts.tsx'
import { count, fixedMoney, plural } from '../layout/words.ts'
import { spendOf, total } from '../reports/usage.ts'
import type { Dashboard, PageContext } from '../shell/dashboard.ts'
import { takeFreshKey } from '../shell/fresh-key.ts'
import { findKeys, type KeysFound, keyListPath, keyQuery } from './key-query.ts'
import { NewKeyRules } from './key-rules-form.tsx'
import { KeySearch } from './key-search.tsx'
import { KeyState } from './key-state.tsx'
import { apiAddress, curlLine } from './overview.tsx'

/** Keys from which on a list is searched rather than read. */
const SEARCH_FROM = 8

export function KeyList({ c, dashboard }: { c: PageContext; dashboard: Dashboard }) {
  const { account } = c.var
  const fresh = takeFreshKey(c)
  const keys = c.var.keys()
  const { todayByKey } = spendOf(dashboard.accounts, account, Date.now())
  const query = keyQuery(new URL(c.req.url).searchParams)
  const found = findKeys(keys, query, todayByKey)
  const lead =
    'Every request carries an API key, and its cost is charged to your account. Use one key per program, so that you can revoke each on its own.'
  return (
    <Page c={c} title="API keys" lead={lead} scripts={['copy.js']}>
      {fresh !== undefined && <FreshKey label={fresh.label} secret={fresh.key} api={apiAddress(dashboard)} />}
      <Section title="Create New Key">
        <Form c={c} action="/keys" class="stack">
          <div class="row">
            <Field
              {...{ c, action: '/keys', name: 'label', label: 'Label' }}
              maxlength={LABEL_LENGTH_MAX}
              placeholder="production"
            />
          </div>
          <NewKeyRules c={c} action="/keys" />
          <div class="actions">
            <button type="submit" class="primary">
              Create New Key
            </button>
          </div>
        </Form>
      </Section>
      {keys.length === 0 ? (
        <p class="empty">You have no keys yet. Create the first one above.</p>
      ) : (
        <>
          {(keys.length > SEARCH_FROM || keyListPath(query) !== '/keys') && <KeySearch query={query} />}
          <Found found={found} today={todayByKey} />
          <Pages
            {...found}
            matches={plural(found.matches, 'key')}
            pathOf={page => keyListPath({ ...query, page })}
          />
        </>
      )}
    </Page>
  )
}

function Found({ found, today }: { found: KeysFound; today: ReadonlyMap<string, number> }) {
  if (found.keys.length === 0) {
    return (
      <p class="empty">
        No key matches. <a href="/keys">Show all</a>
      </p>
    )
  }
  return (
    <Table caption="Your keys" heads={['Key', 'State', '>Today', '>Total', '>Spent', 'Last used', '']}>
      {found.keys.map(key => (
        <Row view={key} today={today.get(key.id) ?? 0} />
      ))}
    </Table>
  )
}

function Row({ view, today }: { view: KeyView; today: number }) {
  const revoked = view.revokedMs !== null
  return (
    <tr class={revoked ? 'past' : undefined}>
      <th scope="row">
        <a href={`/keys/${view.id}`} class="label" title={view.label}>
          {view.label || 'unnamed'}
        </a>
        <code class="under">{view.start}…</code>
      </th>
      <td>
        <KeyState view={view} />
        {revoked && (
          <span class="under">
            <Time ms={view.revokedMs} />
          </span>
        )}
        {!revoked && <Rules view={view} />}
      </td>
      <td class="number">{count(today)}</td>
      <td class="number">{count(total(view.queries))}</td>
      <td class="number">{fixedMoney(view.spentMicros)}</td>
      <td>
        <Time ms={view.lastUsedMs} />
      </td>
      <td class="number">{!revoked && <a href={`/keys/${view.id}/revoke`}>Revoke</a>}</td>
    </tr>
  )
}

/** That a key has an end or rules, in a line under its state. */
function Rules({ view: { rules, earlier, isExpired } }: { view: KeyView }) {
  const { expiresMs, limits, endpoints, addresses } = rules
  return (
    <>
      {expiresMs !== null && (
        <span class="under">
          {isExpired ? 'since' : 'until'} <Time ms={expiresMs} />
        </span>
      )}
      {(limits !== null || endpoints !== null || addresses !== null) && <span class="under">restricted</span>}
      {earlier !== null && (
        <span class="under">
          earlier secret until <Time ms={earlier.untilMs} />
        </span>
      )}
    </>
  )
}

function FreshKey({ label, secret, api }: { label: string; secret: string; api: string }) {
  return (
    <section class="card fresh" aria-labelledby="fresh">
      <h2 id="fresh">Your new key{label === '' ? '' : ` for ${label}`}</h2>
      <p>
        Copy it now. <strong>It is not shown again</strong>, and nobody can look it up for you later.
      </p>
      <Copyable wide text={secret} label="Copy the key" />
      <p class="muted">Try it:</p>
      <Copyable wide text={curlLine(api, secret)} label="Copy the command" />
    </section>
  )
}
