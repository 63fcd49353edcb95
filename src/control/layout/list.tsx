/** Lists: a search above, a table with pages, and the file of all that was found. */
import type { Child } from 'hono/jsx'
import type { PageContext } from '../dashboard.ts'
import { count, member, plural } from '../words.ts'
import { Button, type Column, Link, Table } from './parts.tsx'

const ROWS_PER_PAGE = 50
const WANTED_LENGTH_MAX = 320

export interface Found<Row> {
  rows: readonly Row[]
  matches: number
  page: number
  pages: number
}

interface Filter {
  label: string
  options: Readonly<Record<string, string>>
  usual?: string
}

export type Filters = Readonly<Record<string, Filter>>

export type Asked<F extends Filters> = {
  [K in keyof F]: keyof F[K]['options'] & string
} & { wanted: string; page: number }

const usualOf = ({ options, usual = Object.keys(options)[0] }: Filter) => usual

export function asked<F extends Filters>(c: PageContext, filters: F): Asked<F> {
  const page = Number(c.req.query('page') ?? 1)
  const chosen = Object.entries(filters).map(([name, filter]) => [
    name,
    member(filter.options, c.req.query(name)) ?? usualOf(filter),
  ])
  return {
    ...Object.fromEntries(chosen),
    wanted: (c.req.query('q') ?? '').trim().slice(0, WANTED_LENGTH_MAX),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  }
}

/** Returns the address of a page or a file of what this page was asked for; defaults are left out. */
export function addressOf(c: PageContext, path: string, filters: Filters, page = 1): string {
  const params = new URLSearchParams()
  const { wanted, ...chosen } = asked(c, filters)
  if (wanted !== '') params.set('q', wanted)
  for (const [name, filter] of Object.entries(filters))
    if (chosen[name] !== usualOf(filter)) params.set(name, String(chosen[name]))
  if (page > 1) params.set('page', String(page))
  return params.size === 0 ? path : `${path}?${params}`
}

export function paged<Row>(rows: readonly Row[], page = 1, perPage = ROWS_PER_PAGE): Found<Row> {
  const pages = Math.max(1, Math.ceil(rows.length / perPage))
  const shown = Math.min(page, pages)
  const start = (shown - 1) * perPage
  return { rows: rows.slice(start, start + perPage), matches: rows.length, page: shown, pages }
}

export function whole<Row>(rows: readonly Row[], matches = rows.length): Found<Row> {
  return { rows, matches, page: 1, pages: 1 }
}

interface ListProps<Row> {
  c: PageContext
  caption: string
  columns: readonly Column<Row>[]
  found: Found<Row>
  /** One row, and several where that takes more than an s. */
  noun: readonly [one: string, many?: string]
  empty: Child
  title?: string
  search?: string
  filters?: Filters
  file?: string
  rowClass?: (row: Row) => string | undefined
  class?: 'log'
}

export function List<Row>(props: ListProps<Row>) {
  const { c, caption, columns, found, noun, empty, title, search, filters = {}, file, rowClass } = props
  const hasFile = file !== undefined && found.matches > 0
  return (
    <section class={`list ${props.class ?? ''}`}>
      {(search !== undefined || Object.keys(filters).length > 0) && (
        <Search c={c} placeholder={search} filters={filters} />
      )}
      {(title !== undefined || hasFile) && (
        <div class="heading">
          {title === undefined ? <span /> : <h2>{title}</h2>}
          {hasFile && <Export href={addressOf(c, file, filters)} />}
        </div>
      )}
      {found.rows.length === 0 ? (
        <p class="empty">{empty}</p>
      ) : (
        <>
          <Table {...{ caption, columns, rowClass }} rows={found.rows} />
          <Pages c={c} found={found} noun={noun} filters={filters} />
        </>
      )}
    </section>
  )
}

export function Export({ href }: { href: string }) {
  return <Link href={href} text="Export CSV" />
}

interface SearchProps {
  c: PageContext
  placeholder?: string
  filters: Filters
}

export function Search({ c, placeholder, filters }: SearchProps) {
  const { wanted, ...chosen } = asked(c, filters)
  return (
    <search>
      <form method="get" action={c.req.path} class="row" data-submit={placeholder === undefined || undefined}>
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
        {Object.entries(filters).map(([name, { label, options }]) => (
          <label class="choice">
            {label}
            <select name={name}>
              {Object.entries(options).map(([value, text]) => (
                <option value={value} selected={value === chosen[name]}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        ))}
        <Button text="Show" />
      </form>
    </search>
  )
}

type PagesProps = Pick<ListProps<unknown>, 'c' | 'noun'> & {
  found: Omit<Found<unknown>, 'rows'>
  filters: Filters
}

function Pages({ c, found: { matches, page, pages }, noun, filters }: PagesProps) {
  const text = plural(matches, ...noun)
  if (pages === 1) return <p class="hint">{text}</p>
  const link = (to: number, label: string) =>
    to >= 1 && to <= pages && <Link href={addressOf(c, c.req.path, filters, to)} text={label} />
  return (
    <nav class="actions" aria-label="Pages">
      {link(page - 1, 'Previous')}
      <span class="hint">
        Page {count(page)} of {count(pages)}, {text}
      </span>
      {link(page + 1, 'Next')}
    </nav>
  )
}
