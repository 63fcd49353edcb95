import type { Child, PropsWithChildren } from 'hono/jsx'
import { askText, isAllowed, mayAct } from '../session/access.ts'
import { formToken } from '../session/csrf.ts'
import { pageContext } from '../session/page-context.ts'
import { iso, utcMinute, utcSecond } from '../words.ts'

interface FormProps {
  action: string
  class?: string
  hidden?: Readonly<Record<string, string>>
  /** Text and kind of a button that is all of the form. */
  button?: string
  kind?: string
}

/** A form with the session's token. The browser checks no field: it would tell only the first wrong one. */
export function Form(props: PropsWithChildren<FormProps>) {
  const { action, class: name, hidden = {}, button = '', kind } = props
  const { children = <Button kind={kind} text={button} /> } = props
  const c = pageContext()
  const isDisabled = !mayAct(c, action)
  return (
    <form method="post" action={action} class={name} novalidate>
      {Object.entries({ csrf: formToken(c.get('csrf')), ...hidden }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {isDisabled ? <fieldset disabled>{children}</fieldset> : children}
      {isDisabled && (
        <p class="hint">
          {!c.get('isViewing') && `Not possible while the account is ${c.get('account').standing?.state}.`}
          {c.get('isViewing') && [
            'Not possible as an operator. ',
            <a href={`/operator/accounts/${c.get('account').id}`}>Use the operator’s page</a>,
          ]}
        </p>
      )}
    </form>
  )
}

type ButtonProps = { text: Child; kind?: string | undefined; action?: string; label?: string }

export function Button({ text, kind, action, label }: ButtonProps) {
  return (
    <button type="submit" class={kind} formaction={action} aria-label={label}>
      {text}
    </button>
  )
}

/** A problem, as an alert. Without a field, it gets the focus. @param id given for a problem of a field */
export function Wrong({ text, id }: { text: string | undefined; id?: string }) {
  if (text === undefined) return null
  return (
    <p class={id ? 'wrong' : 'problem'} {...(!id && { tabindex: -1, autofocus: true })} role="alert" id={id}>
      {text}
    </p>
  )
}

export function Options({ texts, chosen }: { texts: Readonly<Record<string, string>>; chosen?: string }) {
  return Object.entries(texts).map(([value, text]) => (
    <option value={value} selected={value === chosen}>
      {text}
    </option>
  ))
}

interface LinkProps {
  href: string
  text: Child
  kind?: string | undefined
  /** True for a link to a form: it is inactive where the form is. */
  isForm?: boolean
}

export function Link({ href, text, kind = '', isForm = false }: LinkProps) {
  const isActive = !isForm || mayAct(pageContext(), href)
  return (
    <a class={`button ${kind}`} {...(isActive ? { href } : { 'aria-disabled': 'true' })}>
      {text}
    </a>
  )
}

/** A link to the page that helps, or whom to ask if the reader may not open it. */
export function Remedy({ href, text }: { href: string; text: string }) {
  const [path = ''] = href.split(/[?#]/)
  return isAllowed(path, pageContext().get('role')) ? <a href={href}>{text}</a> : <span>{askText(path)}</span>
}

/** Returns a name, an address or a command that breaks behind its separators, not inside its words. */
export function breaking(text: string): Child {
  return text
    .split(/(?<=[/@.,]|[A-Z]_)(?=[A-Za-z])|(?<=:)(?=\w)/)
    .map((part, at) => [at > 0 && <wbr />, part])
}

/** Returns a text whose dates do not break. */
export function unbroken(text: string): Child {
  const parts = text.split(/(\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)/)
  return parts.map((part, at) => (at % 2 === 1 ? <time>{part}</time> : part))
}

export function Named({ name, href, under }: { name: string; href?: string | undefined; under?: Child }) {
  const Name = href === undefined ? 'span' : 'a'
  return (
    <>
      <Name href={href} class="label" title={name}>
        {breaking(name)}
      </Name>
      {under && <span class="under small">{under}</span>}
    </>
  )
}

export function Facts({ facts }: { facts: readonly (readonly [string, Child, ...Child[]])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value, ...hints]) => (
        <div class="fact">
          <dt>{name}</dt>
          <dd>{value}</dd>
          {hints.map(hint => hint && <dd class="hint">{hint}</dd>)}
        </div>
      ))}
    </dl>
  )
}

export type Pair = readonly [Child, Child]

export function Pairs({ rows, class: name = 'pairs' }: { rows: Pair[]; class?: string }) {
  return (
    <dl class={name}>
      {rows
        .filter(([, value]) => value || value === 0)
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  )
}

export function Section(props: PropsWithChildren<{ title: string; hint?: Child; id?: string }>) {
  const { title, hint, id, children } = props
  return (
    <section class="card" id={id}>
      <h2>{title}</h2>
      {hint !== undefined && <p class="muted">{hint}</p>}
      {children}
    </section>
  )
}

export function Time({ ms, seconds = false }: { ms: number | null; seconds?: boolean }) {
  if (ms === null) return <span class="muted">never</span>
  const text = utcSecond(ms)
  return (
    <time datetime={iso(ms)} title={`${text} UTC`}>
      {seconds ? text : utcMinute(ms)}
    </time>
  )
}

export function Code({ text }: { text: string }) {
  return (
    <pre tabindex={0}>
      <code>{text}</code>
    </pre>
  )
}

export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <div class="copyable">
      <code data-copy-source>{breaking(text)}</code>
      <button type="button" data-copy aria-label={label}>
        Copy
      </button>
    </div>
  )
}

export interface Column<Row> {
  head: string
  /** Order that its head chooses: the largest first; with a name, or `isUp`, the smallest first. */
  order?: string
  isUp?: true
  under?: string
  cell: (row: Row) => Child
  below?: (row: Row) => Child
  /** `name` is the head of its row, `detail` breaks anywhere, `short` is cut, `rare` is for wide windows. */
  kind?: 'name' | 'number' | 'detail' | 'short' | 'rare'
}

interface TableProps<Row> {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  sort?: (column: Column<Row>) => Sort | undefined
  rowClass?: (row: Row) => string | undefined
  /** Number of rows before those that a list unfolds. */
  top?: number
}

export type Sort = { href: string; by: 'ascending' | 'descending' | undefined }

const ARROWS: Readonly<Record<string, string>> = { ascending: ' ↑', descending: ' ↓' }

/** A table. On a narrow screen each row is a card. */
export function Table<Row>({ caption, columns, rows, sort, rowClass, top = rows.length }: TableProps<Row>) {
  const classOf = (row: Row, at: number) => [rowClass?.(row), at >= top && 'more'].filter(Boolean).join(' ')
  return (
    // Focusable, so that a keyboard can scroll it.
    <section class="scroll" aria-label={caption} tabindex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(column => {
              const { head, under, kind } = column
              const link = sort?.(column)
              return (
                <th scope="col" class={kind} aria-sort={link?.by}>
                  {link && <a href={link.href}>{[head, ARROWS[link.by ?? '']]}</a>}
                  {!link && (head || <span class="hidden">Actions</span>)}
                  {under !== undefined && <span class="under">{under}</span>}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr class={classOf(row, at) || undefined}>
              {columns.map(({ head, under, cell, below, kind }) =>
                kind === 'name' ? (
                  <th scope="row">{cell(row)}</th>
                ) : (
                  <td class={kind} data-head={head || undefined}>
                    {cell(row)}
                    {below?.(row) && (
                      <span class="under" data-head={under}>
                        {below(row)}
                      </span>
                    )}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
