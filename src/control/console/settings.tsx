/** The page of settings in force, by group, with meanings and risks. */
import type { Setting } from '../../settings/setting.ts'
import { PROVIDER_SETTINGS, SETTING_GROUPS, SETTINGS } from '../../settings/settings.ts'
import type { Dashboard, PageApp } from '../dashboard.ts'
import { queryOf, Search } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Section, Table } from '../layout/parts.tsx'
import { count, plural } from '../words.ts'

const ROWS: Readonly<Record<string, Setting<unknown>>> = { ...SETTINGS, ...PROVIDER_SETTINGS }
const NAMES = Object.keys(SETTINGS)

/** Returns the row of a variable. Variables of identity providers share their rows. */
function rowOf(name: string): Setting<unknown> | undefined {
  return ROWS[name] ?? ROWS[name.replace(/^OIDC_[A-Z0-9]+_/, '')]
}

function groupOf(name: string): string | undefined {
  const place = NAMES.indexOf(NAMES.includes(name) ? name : 'OIDC_PROVIDERS')
  return Object.keys(SETTING_GROUPS).findLast(group => NAMES.indexOf(SETTING_GROUPS[group]) <= place)
}

const FILTERS = { only: { label: 'Show', options: { all: 'All', changed: 'Changed' } } }

export function addSettings(app: PageApp, { config: { inForce, changed } }: Dashboard): void {
  app.get('/operator/settings', c => {
    const { wanted, only } = queryOf(c, FILTERS)
    const found = inForce
      .filter(([name]) => only === 'all' || changed.has(name))
      .filter(each =>
        [...each, rowOf(each[0])?.meaning].join(' ').toLowerCase().includes(wanted.toLowerCase()),
      )
    const tag = [' ', <span class="tag">changed</span>]
    const nameOf = (name: string) => [<code>{breaking(name)}</code>, changed.has(name) && tag]
    const notSet = <span class="muted">not set</span>
    const groups = Object.keys(SETTING_GROUPS)
      .map(group => [group, found.filter(([name]) => groupOf(name) === group)] as const)
      .filter(([, rows]) => rows.length > 0)
    return c.html(
      <Page
        c={c}
        title="Settings"
        lead={`The settings in force, without secrets. ${count(changed.size)} of ${plural(inForce.length, 'setting')} differ from the default. To change one, set its variable in the environment or in the unit file of the service, then restart the service. docs/settings.md lists all settings.`}
      >
        <Search c={c} placeholder="name, value or meaning" filters={FILTERS} />
        {groups.length === 0 && (
          <p class="empty">
            No setting matches. <a href="/operator/settings">Show all</a>
          </p>
        )}
        <div class="settings">
          {groups.map(([group, rows]) => (
            <Section title={group}>
              <Table
                caption={group}
                rows={rows}
                columns={[
                  { head: 'Variable', kind: 'name', cell: ([name]) => nameOf(name) },
                  { head: 'Value', cell: ([, value]) => (value ? breaking(value) : notSet) },
                  { head: 'Default', cell: ([name]) => rowOf(name)?.shownFallback ?? rowOf(name)?.fallback },
                  { head: 'Meaning', kind: 'detail', cell: ([name]) => meaningOf(name, changed.has(name)) },
                ]}
              />
            </Section>
          ))}
        </div>
      </Page>,
    )
  })
}

/** Lets a long name or address break at its punctuation. */
function breaking(text: string) {
  return text.split(/(?<=[/@._,])(?=[^\s/])/).map((part, at) => [at > 0 && <wbr />, part])
}

/** Returns the meaning of a setting, with its risk if it is set. */
function meaningOf(name: string, isChanged: boolean) {
  const { meaning = '', risk = '' } = rowOf(name) ?? {}
  return (
    <>
      {/* Removes the markup of links and code. */}
      {meaning.replace(/\[([^\]]+)\]\([^)]+\)|`/g, '$1')}
      {isChanged && risk && <span class="under small">Risk: {risk}</span>}
    </>
  )
}
