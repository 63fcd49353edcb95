/** Small parts that several pages use. */
import type { Child, PropsWithChildren } from 'hono/jsx'
import type { PageContext } from '../shell/dashboard.ts'
import { formToken } from '../shell/form-token.ts'
import { cents, money, utcMinute } from './words.ts'

/** A form with the session's token. Every form of a page must be one of these. */
export function Form({ c, action, class: name, children }: PropsWithChildren<FormProps>) {
  return (
    <form method="post" action={action} class={name}>
      <input type="hidden" name="csrf" value={formToken(c.get('csrf'))} />
      {children}
    </form>
  )
}

interface FormProps {
  c: PageContext
  action: string
  class?: string
}

interface FactProps {
  name: string
  hint?: Child
  /** The figure that keeps it fresh. */
  live?: string
  /** The figure that is shown when the pointer rests on it: the exact amount of one that is rounded. */
  exact?: readonly [live: string, text: string]
}

/** A number with its name. */
export function Fact({ name, hint, live, exact, children }: PropsWithChildren<FactProps>) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd title={exact?.[1]} data-live-title={exact?.[0]} data-live={live}>
        {children}
      </dd>
      {hint !== undefined && <dd class="hint">{hint}</dd>}
    </div>
  )
}

/** An amount of a headline: cents, and all decimals when the pointer rests on it. */
export function Dollars({ micros }: { micros: number }) {
  return <span title={money(micros)}>{cents(micros)}</span>
}

/** A titled part of a page. */
export function Section({
  title,
  hint,
  id,
  children,
}: PropsWithChildren<{ title: string; hint?: Child; id?: string }>) {
  return (
    <section class="card" id={id}>
      <h2>{title}</h2>
      {hint !== undefined && <p class="muted">{hint}</p>}
      {children}
    </section>
  )
}

/** A time in UTC, to the minute or to the second; null is `never`. */
export function Time({ ms, seconds = false }: { ms: number | null; seconds?: boolean }) {
  if (ms === null) return <span class="muted">never</span>
  const iso = new Date(ms).toISOString()
  return (
    <time datetime={iso} title={`${iso.slice(0, 19).replace('T', ' ')} UTC`}>
      {seconds ? iso.slice(0, 19).replace('T', ' ') : utcMinute(ms)}
    </time>
  )
}

/** Text to copy: selectable by hand, with a button where scripts run. */
export function Copyable({ text, label, wide }: { text: string; label: string; wide?: boolean }) {
  return (
    <div class={wide === true ? 'copyable block' : 'copyable'}>
      <code data-copy-source>{text}</code>
      <button type="button" data-copy hidden aria-label={label}>
        Copy
      </button>
    </div>
  )
}

/** A table that scrolls by itself on a narrow screen. Columns whose name begins with `>` are numbers. */
export function Table({
  caption,
  heads,
  children,
}: PropsWithChildren<{ caption: string; heads: readonly string[] }>) {
  return (
    // Focusable, so that a keyboard can scroll it.
    <section class="scroll" aria-label={caption} tabindex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {heads.map(head => (
              <th scope="col" class={head.startsWith('>') ? 'number' : undefined}>
                {head.replace('>', '') || <span class="hidden">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}

/** A chart that a script draws from the JSON at `source`. Where no script has come for a second, it says what is missing. */
export function Chart({ source, label }: { source: string; label: string }) {
  return (
    <div class="chart" data-chart={source} role="img" aria-label={label}>
      <p class="empty">Charts need scripts. The tables under Usage have the same numbers.</p>
    </div>
  )
}

interface ChoiceProps {
  name: string
  label: string
  options: Readonly<Record<string, string>>
  value: string
}

/** A list to choose one option from, in a form above a table. `options` are texts by value. */
export function Choice({ name, label, options, value }: ChoiceProps) {
  return (
    <label class="choice">
      {label}
      <select name={name}>
        {Object.entries(options).map(([option, text]) => (
          <option value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
