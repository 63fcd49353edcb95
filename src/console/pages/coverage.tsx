import { readFileSync } from 'node:fs'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import type { SourceMeta } from '../../postal/format/meta.ts'
import { ASSETS_FOLDER, assetPath } from '../assets/assets.ts'
import { List, pageOf, readQuery } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Code, Copyable, Facts, Pairs, Section } from '../layout/parts.tsx'
import type { CountryFacts, CoverageRow } from '../reports/coverage-figures.ts'
import { countryFacts, coverageOf, findCountries } from '../reports/coverage-figures.ts'
import { setPerson } from '../session/access.ts'
import type { Dashboard, PageApp } from '../session/page-context.ts'
import { count, money, plural } from '../words.ts'

/** Maximum number of sources that are not folded. */
const SOURCES_OPEN_MAX = 10

/** Meanings of completeness, and shades of its countries on the map. */
const MEANINGS: Readonly<Record<CoverageRow['completeness'], readonly [meaning: string, shade: number]>> = {
  full: ['Nearly every published code is here. An unknown code most likely does not exist.', 1],
  'short codes': ['The first part of each code is here. It stands for all codes that begin with it.', 0.7],
  partial: ['How many codes there are in all is not known. A code that is not found may still exist.', 0.45],
  'no data': ['This country has codes, but none is here. Only their form can be checked.', 0.25],
  'no postal codes': ['This country has no codes.', 0],
}

/** Countries of the map, which deploy/world-map.mjs has drawn. */
const MAPPED = Array.from(
  readFileSync(new URL('world.svg', ASSETS_FOLDER), 'utf8').matchAll(/id="([A-Z]{2})"/g),
  ([, country = '']) => country,
)

const FILTERS = {
  state: {
    label: 'Completeness',
    options: { '': 'All', ...Object.fromEntries(Object.keys(MEANINGS).map(each => [each, each])) },
  },
}

export function addCoveragePages(app: PageApp, dashboard: Dashboard): void {
  app.get('/coverage/:country{[A-Za-z]{2}}', c => {
    setPerson(c, dashboard)
    const facts = countryFacts(dashboard.dataPlane.index(), c.req.param('country').toUpperCase())
    if (facts === undefined)
      return c.html(<Page title="No such country" up={['/coverage', 'All countries']} />, 404)
    return c.html(countryPage(facts))
  })

  app.get('/coverage', c => {
    setPerson(c, dashboard)
    const { rows, countries, codes, sources } = coverageOf(dashboard.dataPlane.index())
    const { wanted, state, page } = readQuery(FILTERS)
    const named = findCountries(rows, wanted)
    const found = state === '' ? named : named.filter(({ completeness }) => completeness === state)
    const isAll = found.length === rows.length
    const short = rows.filter(isShort).length
    const onlyParts = short > 0 ? `, for ${count(short)} of them only first parts` : ''
    return c.html(
      <Page
        title="Coverage"
        lead={`${plural(codes, 'postal code')} in ${plural(countries, 'country', 'countries')}${onlyParts}. ${count(rows.length - countries)} more are without data. Countries with data first.`}
      >
        <List
          class="lines"
          caption="Countries"
          search="name or code"
          filters={FILTERS}
          found={pageOf(found, page)}
          noun={['country', 'countries']}
          help="Type a name or the two letters of a country."
          columns={[
            {
              head: 'Country',
              kind: 'name',
              cell: ({ name, code }) => [
                <a href={`/coverage/${code}`}>{name}</a>,
                ' ',
                <span class="muted">{code}</span>,
              ],
            },
            { head: 'Postal codes', kind: 'number', cell: ({ codes }) => count(codes) },
            { head: 'Places', kind: 'number', cell: ({ places }) => count(places) },
            {
              head: 'Completeness',
              cell: ({ completeness }) => (
                <span class={completeness === 'full' ? 'tag good' : 'tag'}>{completeness}</span>
              ),
            },
          ]}
        >
          {/* The results of a search come first. */}
          {isAll && <WorldMap rows={rows} />}
          {isAll && (
            <p class="actions hint">
              The stronger the colour, the fuller the data:
              {Object.entries(MEANINGS).map(([name, [, shade]]) => (
                <span class="legend">
                  <svg viewBox="0 0 1 1" class="world" aria-hidden="true">
                    <rect width={1} height={1} fill-opacity={shade} />
                  </svg>
                  <span>{name}</span>
                </span>
              ))}
            </p>
          )}
        </List>
        <Sources sources={sources} />
      </Page>,
    )
  })
}

/** True for a country of which only the first part of each code is here. */
const isShort = ({ completeness }: CoverageRow) => completeness === 'short codes'

function countryPage(facts: CountryFacts) {
  const { row, meta, sources, name, whole, formats, pattern, example, answer } = facts
  const forms = formats.map(({ format, example }) => [format, `such as ${example}`] as const)
  // Each code of Andorra begins with these letters: `ADN0N`.
  const hasLetters = formats.some(({ format }) => format.replace(row.code, '').includes('A'))
  const share = (codes: number) => `${Math.floor((codes / row.codes) * 100)}%`
  return (
    <Page title={row.name} lead={MEANINGS[row.completeness][0]} up={['/coverage', 'All countries']}>
      {meta !== undefined && (
        <Facts
          facts={[
            [isShort(row) ? 'First parts of codes' : 'Postal codes', count(row.codes)],
            ['Places', count(row.places)],
            ['With a position', share(meta.positions)],
            ['With a time zone', share(meta.zoned)],
          ]}
        />
      )}
      {formats.length > 0 && (
        <Section title="How codes are written" hint={`N is a digit${hasLetters ? ', A is a letter' : ''}.`}>
          <Pairs
            rows={[
              ['Called', name],
              ...whole.map(({ format, example }) => [format, `such as ${example}`] as const),
              ...(whole.length === 0
                ? forms
                : [['First parts, which are here', forms.map(form => form.join(' ')).join(', ')] as const]),
            ]}
          />
          {pattern !== null && (
            <details>
              <summary>Regular expression</summary>
              <Copyable text={pattern} label="Copy the regular expression" />
            </details>
          )}
        </Section>
      )}
      {answer !== undefined && (
        <Section
          title="An example"
          hint={[`${example} is ${answer.city}`, answer.state].filter(text => text !== '').join(', ')}
        >
          <Pairs
            rows={[
              ['Request', <Code text={JSON.stringify({ zipcode: example, country: row.code }, null, 2)} />],
              ['Answer', <Code text={JSON.stringify(answer, null, 2)} />],
            ]}
          />
          <a href={`/docs?try=lookup&country=${row.code}&zipcode=${encodeURIComponent(example)}#lookup`}>
            Try it
          </a>
          <p class="hint">
            {`A query costs ${money(QUERY_PRICE_MICROS)}. Checking 10,000 addresses costs ${money(10_000 * QUERY_PRICE_MICROS)}. Querying all ${plural(row.codes, isShort(row) ? 'first part' : 'code')} that are here costs ${money(row.codes * QUERY_PRICE_MICROS)}.`}
          </p>
        </Section>
      )}
      {sources.length > 0 && <Sources sources={sources} />}
    </Page>
  )
}

/** A map. Countries without a row are outlines. Screen readers skip it: the page has the same as text. */
function WorldMap({ rows }: { rows: readonly CoverageRow[] }) {
  return (
    <svg class="world" viewBox="-5 24 1010 452" aria-hidden="true">
      {MAPPED.map(country => {
        const row = rows.find(({ code }) => code === country)
        const shade = row && MEANINGS[row.completeness][1]
        const shape = <use href={`${assetPath('world.svg')}#${country}`} fill-opacity={shade} />
        if (row === undefined) return shape
        return (
          <a href={`/coverage/${country}`} tabindex={-1}>
            <title>{`${row.name}: ${row.completeness}`}</title>
            {shape}
          </a>
        )
      })}
    </svg>
  )
}

function Sources({ sources }: { sources: readonly SourceMeta[] }) {
  return (
    <section class="card" aria-label="Sources">
      <details open={sources.length <= SOURCES_OPEN_MAX}>
        <summary>
          <h2>Sources and their licences</h2> <span class="now">{count(sources.length)}</span>
        </summary>
        <ul class="sources">
          {sources.map(({ title, licence, date, attribution }) => (
            <li>
              <strong>{title}</strong>, {licence}
              {date !== '' && `, ${date}`}
              <span class="hint">{attribution}</span>
            </li>
          ))}
        </ul>
      </details>
    </section>
  )
}
