/** Coverage: the countries of the loaded index, how complete they are, and the sources. Open to everybody. */
import { raw } from 'hono/html'
import type { PropsWithChildren } from 'hono/jsx'
import type { HtmlEscapedString } from 'hono/utils/html'
import { Document } from '../layout/document.tsx'
import { Mark } from '../layout/mark.tsx'
import { Page } from '../layout/page.tsx'
import { Section, Table } from '../layout/parts.tsx'
import { count, plural } from '../layout/words.ts'
import { findCountries } from '../reports/country-search.ts'
import { type Coverage, coverageOf } from '../reports/coverage.ts'
import type { Dashboard, PageApp } from '../shell/dashboard.ts'
import { recognise } from '../shell/signed-in.ts'

const TITLE = 'Coverage'

export function addCoveragePage(app: PageApp, dashboard: Dashboard): void {
  app.get('/coverage', c => {
    const wanted = (c.req.query('q') ?? '').trim().slice(0, 64)
    const coverage = coverageOf(dashboard.dataPlane.index())
    const { countries, codes } = coverage
    const lead = `${plural(codes, 'postal code')} in ${plural(countries.length, 'country', 'countries')}, in the loaded index.`
    const tables = wanted === '' ? allTables(coverage) : <Tables coverage={coverage} wanted={wanted} />
    if (!recognise(c, dashboard)) return c.html(<Open lead={lead}>{tables}</Open>)
    return c.html(
      <Page c={c} title={TITLE} lead={lead}>
        {tables}
      </Page>,
    )
  })
}

/** The tables of all countries: the same for everybody for as long as the index is served. */
const tables = new WeakMap<Coverage, HtmlEscapedString>()

function allTables(coverage: Coverage): HtmlEscapedString {
  const made = tables.get(coverage) ?? raw((<Tables coverage={coverage} wanted="" />).toString())
  tables.set(coverage, made)
  return made
}

/** The frame for visitors who have not signed in. */
function Open({ lead, children }: PropsWithChildren<{ lead: string }>) {
  return (
    <Document title={TITLE}>
      <div class="frame open">
        <header class="side">
          <a class="brand" href="/">
            <Mark />
            postrie
          </a>
          <div class="who">
            <a href="/sign-in">Sign in</a>
          </div>
        </header>
        <main id="content">
          <h1>{TITLE}</h1>
          <p class="lead">{lead}</p>
          {children}
        </main>
      </div>
    </Document>
  )
}

function Tables({ coverage, wanted }: { coverage: Coverage; wanted: string }) {
  const { sources } = coverage
  const found = new Set<{ code: string; name: string }>(
    findCountries([...coverage.countries, ...coverage.others], wanted),
  )
  const countries = coverage.countries.filter(country => found.has(country))
  const others = coverage.others.filter(country => found.has(country))
  return (
    <>
      <search>
        <form method="get" action="/coverage" class="row">
          <label>
            Country
            <input type="search" name="q" value={wanted} placeholder="name or code" maxlength={64} />
          </label>
          <button type="submit">Search</button>
        </form>
      </search>
      {countries.length === 0 && others.length === 0 ? (
        <p class="empty">
          No country matches. <a href="/coverage">Show all</a>
        </p>
      ) : (
        <Table
          caption="Countries"
          heads={['Country', 'Code', '>Postal codes', '>Places', 'Completeness', 'Sources']}
        >
          {countries.map(country => (
            <tr>
              <th scope="row">{country.name}</th>
              <td>{country.code}</td>
              <td class="number">{count(country.codes)}</td>
              <td class="number">{count(country.places)}</td>
              <td>
                <span class={country.completeness === 'full' ? 'tag good' : 'tag'}>
                  {country.completeness}
                </span>
              </td>
              <td class="small">{country.sources.join(', ')}</td>
            </tr>
          ))}
          {others.map(country => (
            <tr>
              <th scope="row">{country.name}</th>
              <td>{country.code}</td>
              <td class="number">0</td>
              <td class="number">0</td>
              <td>
                <span class="tag">{country.absence}</span>
              </td>
              <td class="small" />
            </tr>
          ))}
        </Table>
      )}
      <Section title="Sources and their licences">
        <ul class="sources">
          {sources.map(source => (
            <li>
              <strong>{source.title}</strong>, {source.licence}
              {source.date !== '' && `, ${source.date}`}
              <span class="hint">{source.attribution}</span>
            </li>
          ))}
        </ul>
      </Section>
    </>
  )
}
