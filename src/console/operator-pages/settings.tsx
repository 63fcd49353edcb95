/** The page of settings in force, by group, with meanings and risks. */
import type { Config } from '../../platform/settings/config.ts'
import type { Dashboard, PageApp } from '../dashboard.ts'
import { queryOf, Search } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { breaking, Section, Table } from '../layout/parts.tsx'
import { count, plural } from '../words.ts'

type InForce = Config['inForce'][number]

const FILTERS = { only: { label: 'Show', options: { all: 'All', changed: 'Changed' } } }

export function addSettings(app: PageApp, { config: { inForce } }: Dashboard): void {
  app.get('/operator/settings', c => {
    const { wanted, only } = queryOf(c, FILTERS)
    const changed = inForce.filter(({ isChanged }) => isChanged)
    const found = (only === 'all' ? inForce : changed).filter(({ name, value, setting }) =>
      [name, value, setting.meaning].join(' ').toLowerCase().includes(wanted.toLowerCase()),
    )
    const groups = [...new Set(found.map(({ setting }) => setting.group))]
    const tag = [' ', <span class="tag">changed</span>]
    const notSet = <span class="muted">not set</span>
    return c.html(
      <Page
        c={c}
        title="Settings"
        lead={`The settings in force, without secrets. ${count(changed.length)} of ${plural(inForce.length, 'setting')} differ from the default. To change one, set its variable in the environment or in the unit file of the service, then restart the service. docs/settings.md lists all settings.`}
      >
        <Search c={c} placeholder="name or meaning" filters={FILTERS} />
        {groups.length === 0 && (
          <p class="empty">
            No setting matches. <a href="/operator/settings">Show all</a>
          </p>
        )}
        <div class="settings">
          {groups.map(group => (
            <Section title={group}>
              <Table
                caption={group}
                rows={found.filter(({ setting }) => setting.group === group)}
                columns={[
                  {
                    head: 'Variable',
                    kind: 'name',
                    cell: ({ name, isChanged }) => [<code>{breaking(name)}</code>, isChanged && tag],
                  },
                  { head: 'Value', cell: ({ value }) => (value ? breaking(value) : notSet) },
                  { head: 'Default', cell: ({ setting }) => setting.shownFallback ?? setting.fallback },
                  { head: 'Meaning', kind: 'detail', cell: meaningOf },
                ]}
              />
            </Section>
          ))}
        </div>
      </Page>,
    )
  })
}

function meaningOf({ setting: { meaning, risk }, isChanged }: InForce) {
  return (
    <>
      {meaning}
      {isChanged && risk !== undefined && <span class="under small">Risk: {risk}</span>}
    </>
  )
}
