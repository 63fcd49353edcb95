/** The settings in force, by group, each with its meaning and its risk. */
import type { Setting } from '../../settings/setting.ts'
import { PROVIDER_SETTINGS, SETTING_GROUPS, SETTINGS } from '../../settings/settings.ts'
import type { Dashboard, PageApp } from '../dashboard.ts'
import { Page } from '../layout/page.tsx'
import { Section, Table } from '../layout/parts.tsx'

const ROWS: Readonly<Record<string, Setting<unknown>>> = { ...SETTINGS, ...PROVIDER_SETTINGS }
const NAMES = Object.keys(SETTINGS)

/** Returns the row of a variable, also of one that has the name of a provider in it. */
function rowOf(name: string): Setting<unknown> | undefined {
  return ROWS[name] ?? ROWS[name.replace(/^OIDC_[A-Z0-9]+_/, '')]
}

function groupOf(name: string): string | undefined {
  const place = NAMES.indexOf(NAMES.includes(name) ? name : 'OIDC_PROVIDERS')
  return Object.keys(SETTING_GROUPS).findLast(group => NAMES.indexOf(SETTING_GROUPS[group]) <= place)
}

export function addSettings(app: PageApp, { config: { inForce } }: Dashboard): void {
  app.get('/operator/settings', c =>
    c.html(
      <Page c={c} title="Settings" lead="As they are in force, without secrets. A change needs a restart.">
        <div class="settings">
          {Object.keys(SETTING_GROUPS).map(group => (
            <Section title={group}>
              <Table
                caption={group}
                rows={inForce.filter(([name]) => groupOf(name) === group)}
                columns={[
                  { head: 'Variable', kind: 'name', cell: ([name]) => <code>{name}</code> },
                  { head: 'Value', cell: ([, value]) => value || <span class="muted">not set</span> },
                  { head: 'Default', cell: ([name]) => rowOf(name)?.shownFallback ?? rowOf(name)?.fallback },
                  { head: 'Meaning', kind: 'detail', cell: ([name]) => <Meaning {...rowOf(name)} /> },
                ]}
              />
            </Section>
          ))}
        </div>
      </Page>,
    ),
  )
}

function Meaning({ meaning = '', risk }: Partial<Setting<unknown>>) {
  return (
    <>
      {/* A text of the documents, with their links and code. */}
      {meaning.replace(/\[([^\]]+)\]\([^)]+\)|`/g, '$1')}
      {risk && <span class="under small">Risk: {risk}</span>}
    </>
  )
}
