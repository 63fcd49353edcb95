/** The page of settings in force, by group, with meanings and risks. */

import { List, onePage } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { breaking } from '../layout/parts.tsx'
import type { Dashboard, PageApp } from '../session/page-context.ts'
import { count, plural } from '../words.ts'

export function addSettings(app: PageApp, { config: { inForce } }: Dashboard): void {
  app.get('/operator/settings', c => {
    const changed = inForce.filter(({ isChanged }) => isChanged)
    const tag = [' ', <span class="tag caution">changed</span>]
    const groups = [...new Set(inForce.map(({ setting }) => setting.group))]
    const changedFirst = inForce.toSorted((a, b) => Number(b.isChanged) - Number(a.isChanged))
    return c.html(
      <Page
        title="Settings"
        lead={`The settings in force, without secrets. ${count(changed.length)} of ${plural(inForce.length, 'setting')} differ from the default. To change one, set its variable in the environment or in the unit file of the service, then restart the service. docs/settings.md lists all settings.`}
      >
        {groups.map(group => (
          <List
            title={group}
            class="even"
            found={onePage(changedFirst.filter(({ setting }) => setting.group === group))}
            columns={[
              {
                head: 'Variable',
                kind: 'name',
                cell: ({ name, isChanged }) => [<code>{breaking(name)}</code>, isChanged && tag],
              },
              { head: 'Value', cell: ({ value }) => (value ? breaking(value) : 'not set') },
              { head: 'Default', cell: ({ setting }) => setting.shownFallback ?? setting.fallback },
              {
                head: 'Meaning',
                kind: 'detail',
                cell: ({ setting }) => setting.meaning,
                below: ({ setting: { risk }, isChanged }) => isChanged && risk && `Risk: ${risk}`,
              },
            ]}
          />
        ))}
      </Page>,
    )
  })
}
