import type { Child, PropsWithChildren } from 'hono/jsx'
import { withoutSecret } from '../../billing/accounts/secret.ts'
import { readForm } from '../session/forms.ts'
import { type PageApp, type PageContext, pageContext } from '../session/page-context.ts'
import { count, member, plural } from '../words.ts'
import { addForm } from './form.tsx'
import { Button, type Column, Form, Link, Options, type Sort, Table, Wrong } from './parts.tsx'

const ROWS_PER_PAGE = 50
const WANTED_LENGTH_MAX = 320

export type Found<Row> = { rows: readonly Row[]; matches: number; page: number; pages: number }

interface Filter {
  /** Name of the field. Without a name, heads of columns choose. */
  label?: string
  /** Texts by value. Without options, the filter is a text field. */
  options?: Readonly<Record<string, string>>
  usual?: string
  problem?: string | false
  type?: 'date' | 'datetime-local'
  min?: string
  max?: string
  placeholder?: string
}

export const DATES = { from: { label: 'From', type: 'date' }, to: { label: 'To', type: 'date' } } as const

/** Returns the filters of a time. Its ends may be in the wrong order. */
export function datesAsked(type: 'date' | 'datetime-local' = 'date') {
  const { from, to } = readQuery(DATES)
  const last = type === 'date' ? 'The last day' : 'The last time'
  const problem = to !== '' && from > to && `${last} is before the first.`
  return { from: { ...DATES.from, type }, to: { ...DATES.to, type, problem } }
}

export type Filters = Readonly<Record<string, Filter>>

export type ListQuery<F extends Filters> = {
  [K in keyof F]: F[K] extends { options: infer O } ? keyof O & string : string
} & { wanted: string; page: number }

const usualOf = ({ options = { '': '' }, usual = Object.keys(options)[0] }: Filter) => usual

export function readQuery<F extends Filters>(filters: F): ListQuery<F> {
  const { req } = pageContext()
  const typed = (name: string) => (req.query(name) ?? '').trim().slice(0, WANTED_LENGTH_MAX)
  const page = Number(req.query('page') ?? 1)
  const chosen = Object.entries(filters).map(([name, filter]) => [
    name,
    filter.options === undefined
      ? typed(name) || usualOf(filter)
      : (member(filter.options, req.query(name)) ?? usualOf(filter)),
  ])
  return {
    ...Object.fromEntries(chosen),
    wanted: withoutSecret(typed('q')),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  }
}

/** Adds the search of a list by POST: somebody may type a whole key, which must not be in an address. */
export function addKeySearch(app: PageApp, path: string): void {
  const listOf = (c: PageContext) => c.req.path.replace(/\/search$/, '')
  addForm(app, `${path}/search`, listOf, {}, async c => {
    const typed = await readForm(c)
    typed.delete('csrf')
    typed.set('q', withoutSecret((typed.get('q') ?? '').trim()))
    return { to: `${listOf(c)}?${typed}` }
  })
}

/** Returns the path of the list's page, also for a script that asks for the list alone. */
const pagePath = (): string => pageContext().req.path.replace(/\.json$/, '')

/** Returns the parameters of this page's query that differ from their defaults. */
function changedParams(filters: Filters): Record<string, string> {
  const { wanted, ...chosen } = readQuery(filters)
  const others = Object.entries(filters).filter(([name, filter]) => chosen[name] !== usualOf(filter))
  const named = others.map(([name]) => [name, String(chosen[name])])
  return Object.fromEntries(wanted === '' ? named : [['q', wanted], ...named])
}

/** Returns the address of `path` with the query of this page. @param changed parameters to replace */
export function listAddress(path: string, filters: Filters, changed: object = {}): string {
  const params = new URLSearchParams({ ...changedParams(filters), ...changed })
  return params.size === 0 ? path : `${path}?${params}`
}

/** Filter for the direction of a list's `order`. Heads of columns choose it. */
export const WAYS = { options: { usual: '', reversed: '' } }

function sortOf<Row>(filters: Filters, { order, kind, isUp }: Column<Row>): Sort | undefined {
  if (order === undefined) return undefined
  const { order: present, way } = readQuery(filters)
  const isPresent = present === order
  const isReversed = isPresent && way === 'reversed'
  const begins = (kind === 'name' || isUp === true) === isReversed ? 'descending' : 'ascending'
  const next = isPresent && !isReversed ? 'reversed' : 'usual'
  return { href: listAddress(pagePath(), filters, { order, way: next }), by: isPresent ? begins : undefined }
}

export function pageOf<Row>(rows: readonly Row[], page: number, perPage = ROWS_PER_PAGE): Found<Row> {
  const pages = Math.max(1, Math.ceil(rows.length / perPage))
  const shown = Math.min(page, pages)
  const start = (shown - 1) * perPage
  return { rows: rows.slice(start, start + perPage), matches: rows.length, page: shown, pages }
}

export function onePage<Row>(rows: readonly Row[], matches = rows.length): Found<Row> {
  return { rows, matches, page: 1, pages: 1 }
}

interface ListProps<Row> {
  title?: string
  /** Name of the table for screen readers. Default: the title. */
  caption?: string
  columns: readonly Column<Row>[]
  found: Found<Row>
  /** Noun for one row, and its plural if that is not regular, to show the number of rows. */
  noun?: readonly [one: string, many?: string]
  /** Number of rows before the rest, which is folded. One more is not worth it. */
  top?: number
  /** Text of a list that no filter has emptied. */
  empty?: Child
  /** What helps if no row matches the filters. */
  help?: Child
  search?: string
  /** True if `addKeySearch` has added the search. */
  isKeySearch?: boolean
  filters?: Filters
  file?: string
  rowClass?: (row: Row) => string | undefined
  class?: 'log' | 'log compact' | 'lines' | 'entries' | 'even'
}

/** @param props children come between the search and the table */
export function List<Row>(props: PropsWithChildren<ListProps<Row>>) {
  const { columns, found, noun, empty, help, title, search, isKeySearch, file, rowClass } = props
  const { caption = title ?? '', filters = {}, top = Infinity } = props
  const { rows, matches } = found
  const isFolded = rows.length > top + 1
  const link = file && matches > 0 && <Link kind="end" href={listAddress(file, filters)} text="Export CSV" />
  const hasSearch = search !== undefined || Object.keys(filters).length > 0
  // Without a search of its own, the query is of another list of the page.
  const params = hasSearch ? changedParams(filters) : {}
  const isFiltered = Object.keys(params).length > 0
  const isWrong = Object.values(filters).some(({ problem }) => problem)
  const none = params.from || params.to ? 'Nothing in this time.' : [`No ${noun?.[0]} matches. `, help]
  return (
    <section class={`list ${props.class ?? ''}`} data-matches={matches}>
      {title !== undefined && <h2>{title}</h2>}
      {hasSearch ? <Search {...{ isKeySearch, filters }} placeholder={search} beside={link} /> : link}
      {props.children}
      {rows.length === 0 ? (
        !isWrong && (
          <p class="empty">
            {isFiltered || empty === undefined ? none : empty}{' '}
            {isFiltered && <a href={pagePath()}>Show all</a>}
          </p>
        )
      ) : (
        <>
          <Table
            {...{ caption, columns, rows, rowClass, ...(isFolded && { top }) }}
            sort={each => sortOf(filters, each)}
          />
          {noun && isFolded && (
            <details>
              <summary>
                {rows.length < matches ? `${count(rows.length)} of ` : 'All '}
                {plural(matches, ...noun)}
              </summary>
            </details>
          )}
          {noun && top === Infinity && <Pages {...{ found, noun, filters }} />}
        </>
      )}
    </section>
  )
}

type SearchProps = Pick<ListProps<unknown>, 'isKeySearch'> & {
  placeholder?: string | undefined
  filters: Filters
  beside?: Child
}

export function Search({ placeholder, isKeySearch = false, filters, beside }: SearchProps) {
  const { wanted, ...chosen } = readQuery(filters)
  const shown = Object.entries(filters).filter(([, { label }]) => label !== undefined)
  const hasText = placeholder !== undefined || shown.some(([, { options }]) => options === undefined)
  const fields = (
    <>
      {placeholder !== undefined && (
        <label>
          Search
          <input
            type="search"
            name="q"
            value={wanted}
            placeholder={placeholder}
            maxlength={WANTED_LENGTH_MAX}
          />
        </label>
      )}
      {shown.map(([name, { label, options, problem, type, min, max, placeholder }]) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: the field is inside it.
        <label class="choice">
          {label}
          {options === undefined ? (
            <input
              name={name}
              value={chosen[name]}
              autofocus={Boolean(problem)}
              {...(problem && { 'aria-invalid': 'true' as const, 'aria-describedby': `problem-${name}` })}
              {...{ type, min, max, placeholder }}
            />
          ) : (
            <select name={name}>
              <Options texts={options} chosen={chosen[name]} />
            </select>
          )}
        </label>
      ))}
      <Button text={placeholder === undefined ? 'Show' : 'Search'} kind={hasText ? '' : 'unscripted'} />
      {beside}
      {shown.map(([name, { label, problem }]) => (
        <Wrong text={problem ? `${label}: ${problem}` : undefined} id={`problem-${name}`} />
      ))}
    </>
  )
  return (
    <search data-submit>
      {isKeySearch ? (
        <Form action={`${pagePath()}/search`} class="row">
          {fields}
        </Form>
      ) : (
        <form method="get" action={pagePath()} class="row">
          {fields}
        </form>
      )}
    </search>
  )
}

function Pages({ found, noun, filters }: Required<Pick<ListProps<unknown>, 'found' | 'noun' | 'filters'>>) {
  const { matches, page, pages } = found
  const text = plural(matches, ...noun)
  if (pages === 1) return <p class="hint">{text}</p>
  const link = (label: string, to: number) =>
    to >= 1 &&
    to <= pages && <Link href={listAddress(pagePath(), filters, { page: String(to) })} text={label} />
  return (
    <nav class="actions hint" aria-label="Pages">
      {link('Previous', page - 1)} Page {count(page)} of {count(pages)}, {text} {link('Next', page + 1)}
    </nav>
  )
}
