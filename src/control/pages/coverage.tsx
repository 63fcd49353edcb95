/** Coverage: the countries of the loaded index, how complete they are, and the sources. Open to everybody. */
import { asked, List, whole } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Section } from '../layout/parts.tsx'
import { type CoverageRow, coverageOf, findCountries } from '../reports/coverage.ts'
import { csvFile, type FileColumns } from '../reports/csv.ts'
import { recognise } from '../shell/access.ts'
import type { Dashboard, PageApp } from '../shell/dashboard.ts'
import { count, plural } from '../words.ts'

const FILE: FileColumns<CoverageRow> = {
  country: ({ code }) => code,
  name: ({ name }) => name,
  codes: ({ codes }) => codes,
  places: ({ places }) => places,
  completeness: ({ completeness }) => completeness,
  sources: ({ sources }) => sources.join('; '),
}

export function addCoveragePages(app: PageApp, dashboard: Dashboard): void {
  app.get('/coverage', c => {
    recognise(c, dashboard)
    const { rows, countries, codes, sources } = coverageOf(dashboard.dataPlane.index())
    return c.html(
      <Page
        c={c}
        title="Coverage"
        lead={`${plural(codes, 'postal code')} in ${plural(countries, 'country', 'countries')}, in the loaded index.`}
      >
        <List
          c={c}
          caption="Countries"
          search="name or code of a country, in any language"
          found={whole(findCountries(rows, asked(c, {}).wanted))}
          noun={['country', 'countries']}
          file="/coverage.csv"
          empty={
            <>
              No country matches. <a href="/coverage">Show all</a>
            </>
          }
          columns={[
            { head: 'Country', kind: 'name', cell: ({ name }) => name },
            { head: 'Code', cell: ({ code }) => code },
            { head: 'Postal codes', kind: 'number', cell: ({ codes }) => count(codes) },
            { head: 'Places', kind: 'number', cell: ({ places }) => count(places) },
            { head: 'Completeness', cell: Completeness },
            { head: 'Sources', cell: ({ sources }) => <span class="small">{sources.join(', ')}</span> },
          ]}
        />
        <Section title="Sources and their licences">
          <ul class="sources">
            {sources.map(({ title, licence, date, attribution }) => (
              <li>
                <strong>{title}</strong>, {licence}
                {date !== '' && `, ${date}`}
                <span class="hint">{attribution}</span>
              </li>
            ))}
          </ul>
        </Section>
      </Page>,
    )
  })

  app.get('/coverage.csv', c => {
    const { rows } = coverageOf(dashboard.dataPlane.index())
    return csvFile(c, 'coverage', FILE, [findCountries(rows, asked(c, {}).wanted)])
  })
}

function Completeness({ completeness }: CoverageRow) {
  return <span class={completeness === 'full' ? 'tag good' : 'tag'}>{completeness}</span>
}
