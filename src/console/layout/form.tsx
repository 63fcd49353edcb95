/** Forms from a description of their fields. Each answer is a redirect, so a reload sends nothing again. */
import type { Child, PropsWithChildren } from 'hono/jsx'
import type * as z from 'zod'
import { expectAccountError } from '../../billing/accounts/account-error.ts'
import { OperatorError } from '../operator/operator-error.ts'
import { COMMA, type ParamSyntax } from '../operator/params.ts'
import { type Done, readForm } from '../session/forms.ts'
import { type PageApp, type PageContext, pageContext } from '../session/page-context.ts'
import { count, iso, money } from '../words.ts'
import { Page, type PageProps } from './page.tsx'
import { Button, Form, Link, Options, Wrong } from './parts.tsx'

/** Thrown for a wrong field, also by the function that runs a form. */
export class FieldProblem extends Error {
  readonly field: string | undefined

  constructor(problem: string, field?: string) {
    super(problem)
    this.field = field
  }
}

/** Fields of a form: parameters of commands, or parameters that only a page has. */
export type Fields = Readonly<Record<string, z.ZodType>>
/** Value of a field: an empty one is null if the parameter may be missing. */
type FieldValue<T> = undefined extends T ? Exclude<T, undefined> | null : T
export type Values<F extends Fields> = { [K in keyof F]: FieldValue<z.output<NonNullable<F[K]>>> }

export const shownMoment = (ms: number | null): string => (ms === null ? '' : iso(ms).slice(0, 16))

/** Returns a typed time, or the present one if the form was not changed: it shows only minutes. */
export const keptMoment = (typed: number | null, present: number | null) =>
  shownMoment(typed) === shownMoment(present) ? present : typed

const WRITINGS: Record<
  'text' | NonNullable<ParamSyntax['kind']>,
  { show(value: never): string; typing?: object }
> = {
  text: { show: String },
  number: { show: count, typing: { inputmode: 'numeric' } },
  dollars: {
    show: (micros: number) => money(micros).slice(1).replaceAll(',', ''),
    typing: { inputmode: 'decimal' },
  },
  moment: { show: shownMoment, typing: { type: 'datetime-local' } },
  list: { show: (items: readonly string[]) => items.join('\n') },
}

function syntaxOf(field: z.ZodType) {
  const syntax: ParamSyntax = field.meta() ?? {}
  return { ...syntax, writing: WRITINGS[syntax.kind ?? 'text'], isOptional: field.safeParse(null).success }
}

/** @param texts trimmed; one for each ticked box, or one for any other field @throws FieldProblem */
function readField(field: z.ZodType, texts: readonly string[]): unknown {
  const { kind, options, problem, lengthMax, isOptional } = syntaxOf(field)
  const text = texts.join('\n')
  // A list of separators is empty.
  if (kind !== undefined && isOptional && (kind === 'list' ? /^[\s,]*$/.test(text) : text === '')) return null
  if (kind === undefined && options !== undefined && !Object.hasOwn(options, text))
    throw new FieldProblem('Choose an option of the list.')
  if (lengthMax !== undefined && text.length > lengthMax)
    throw new FieldProblem(`At most ${count(lengthMax)} characters.`)
  const { data, error } = field.safeParse(text)
  if (error === undefined) return data
  if (kind === 'dollars' && COMMA.test(text))
    throw new FieldProblem(`Write a point instead of the comma: ${text.replace(',', '.')}.`)
  throw new FieldProblem(problem ?? (text === '' ? 'Fill in this field.' : error.issues[0].message))
}

type FieldProps = { action: string; name: string; field: z.ZodType; value?: unknown; hint?: Child }

/** A field shows the typed text and the problem after a refusal. @param isFirst true to focus it */
export function Field({ action, name, field, value, hint, isFirst }: FieldProps & { isFirst?: boolean }) {
  const { label = '', kind, options, writing, ...syntax } = syntaxOf(field)
  const kept = pageContext().get('refused')
  const refused = kept?.action === action ? kept : undefined
  const problem = refused?.problems[name]
  const typed = refused && new URLSearchParams(refused.typed).getAll(name)
  const usual = value === undefined ? syntax.usual : ''
  const [shown = ''] = typed ?? [value == null ? usual : writing.show(value as never)]
  // Links lead to fields: `/keys/key_2c61#cap-usd`.
  const id = `${action.split('/').at(-1)}-${name}`
  const below = (
    <>
      <Wrong text={problem} id={`problem-${name}`} />
      {(hint ?? syntax.hint) && <span class="hint">{hint ?? syntax.hint}</span>}
    </>
  )
  if (kind === 'list' && options !== undefined)
    return (
      <fieldset class="choices">
        <legend>{label}</legend>
        {Object.entries(options).map(([option, text], at) => (
          <label>
            <input
              id={at === 0 ? id : undefined}
              type="checkbox"
              name={name}
              value={option}
              checked={(typed ?? (value as string[] | null) ?? []).includes(option)}
            />
            {text}
          </label>
        ))}
        {below}
      </fieldset>
    )
  const attributes = {
    id,
    ...(problem !== undefined && { 'aria-invalid': 'true' as const, 'aria-describedby': `problem-${name}` }),
    autofocus: refused ? Object.keys(refused.problems)[0] === name : Boolean(isFirst && !options),
  }
  const typing = {
    ...attributes,
    placeholder: syntax.empty,
    inputmode: syntax.inputmode,
    required: !syntax.isOptional,
    autocomplete: 'off',
    type: syntax.isSecret && 'password',
    ...writing.typing,
  }
  return (
    <div class={options === undefined ? 'field' : 'field choice'}>
      <label for={id}>
        {label}
        {options !== undefined ? (
          <select name={name} {...attributes}>
            {shown === '' && <option value="">Choose</option>}
            <Options texts={options} chosen={shown} />
          </select>
        ) : kind === 'list' || syntax.isLong ? (
          <textarea name={name} rows={3} {...typing}>
            {shown}
          </textarea>
        ) : (
          <input name={name} value={shown} {...typing} />
        )}
      </label>
      {below}
    </div>
  )
}

export interface FormProps<F extends Fields> {
  action: string
  fields: F
  values?: Partial<Values<F>>
  hints?: Readonly<Partial<Record<keyof F, Child>>>
  class?: 'row' | 'grid' | 'stack'
  /** Values that nobody is asked for. */
  hidden?: Readonly<Record<string, string>>
  button: string
  kind?: 'primary' | 'danger'
}

export function FieldsForm<F extends Fields>(props: PropsWithChildren<FormProps<F>>) {
  const { action, fields, values, hints, hidden = {}, button, kind, children } = props
  const name = props.class ?? 'row'
  const submit = <Button kind={kind} text={button} />
  const asked = Object.entries(fields).filter(([name]) => !Object.hasOwn(hidden, name))
  const shown = asked.map(([each, field], at) => {
    const isFirst = name === 'stack' && at === 0
    return <Field {...{ action, field, isFirst }} name={each} value={values?.[each]} hint={hints?.[each]} />
  })
  return (
    <Form action={action} class={name} hidden={hidden}>
      {shown}
      {name === 'row' ? [submit, children] : <div class="actions">{[submit, children]}</div>}
    </Form>
  )
}

interface FoldProps<F extends Fields> extends FormProps<F> {
  title: string
  /** Present value, which is visible while the form is folded. */
  now: string
  hint: Child
}

/** A folded form. At most one of a page is open: a refused one, or that of a field in the address. */
export function Fold<F extends Fields>({ title, now, hint, ...form }: FoldProps<F>) {
  return (
    <details name="form" open={pageContext().get('refused')?.action === form.action}>
      <summary>
        <h2>{title}</h2> <span class="now">{now}</span>
      </summary>
      <p class="muted">{hint}</p>
      <FieldsForm {...form} />
    </details>
  )
}

/** Path of the page with the form. A fragment would keep the browser from focusing a wrong field. */
type Back = string | ((c: PageContext) => string)
/** Runs a form. A returned sentence is a notice. @throws FieldProblem, or a refusal that the page shows */
type Run<F extends Fields> = (c: PageContext, values: Values<F>) => Promise<string | Done>
/** Returns problems that depend on other fields or on the account. `values` lacks malformed fields. */
type Check<F extends Fields> = (
  c: PageContext,
  values: Partial<Values<F>>,
) => Partial<Record<keyof F, string>>

/** Adds a form that is sent to `path`. A GET of `path` redirects to the page with the form. */
export function addForm<F extends Fields>(
  app: PageApp,
  path: string,
  back: Back,
  fields: F,
  run: Run<F>,
  check?: Check<F>,
): void {
  app.get(path, c => c.redirect(pathOf(back, c), 303))
  app.post(path, c => submit(c, pathOf(back, c), fields, values => run(c, values), check))
}

const pathOf = (back: Back, c: PageContext): string => (typeof back === 'string' ? back : back(c))

export type Step<F extends Fields> = PageProps &
  Pick<FormProps<F>, 'values' | 'hints' | 'hidden' | 'button' | 'kind'> & {
    /** Fields to show. Default: all. */
    fields?: Partial<F>
    text?: Child
    below?: Child
    change?: string
  }

export interface StepPage<F extends Fields> {
  fields?: F
  /** Returns the address that shows a refused form. Default: the path of the step. */
  shownAt?: ((c: PageContext) => Promise<string>) | undefined
  /** Returns nothing if there is nothing to do; then the page redirects to `back`. */
  ask(c: PageContext): Step<F> | false | null | undefined
  run: Run<F>
}

/** Adds a step with a page of its own, which asks to confirm it. Works without scripts. */
export function addStep<F extends Fields = Record<never, never>>(
  app: PageApp,
  path: string,
  back: Back,
  { fields, shownAt, ask, run }: StepPage<F>,
): void {
  app.get(path, c => {
    const step = ask(c)
    if (!step) return c.redirect(pathOf(back, c), 303)
    const { title, up, lead, text, below, kind = 'danger', change, ...form } = step
    return c.html(
      <Page title={title} up={up} lead={lead}>
        <section class="card">
          {text && <div>{text}</div>}
          {form.button === '' ? (
            <Link href={pathOf(back, c)} text="Back" />
          ) : (
            <FieldsForm {...{ kind, fields: fields ?? {}, ...form }} action={c.req.path} class="stack">
              {change && <Link href={change} text="Change" />}
              <Link href={pathOf(back, c)} text="Cancel" />
            </FieldsForm>
          )}
        </section>
        {below}
      </Page>,
    )
  })
  app.post(path, async c => {
    const end = pathOf(back, c)
    const page = fields === undefined ? end : ((await shownAt?.(c)) ?? c.req.path)
    return submit(c, page, fields ?? ({} as F), values => run(c, values), undefined, end)
  })
}

/** Runs a form. `page` shows its problems, and `end` its notice. @throws errors of a command */
export async function submit<F extends Fields>(
  c: PageContext,
  page: string,
  fields: F,
  run: (values: Values<F>) => Promise<string | Done>,
  check: Check<F> = () => ({}),
  end = page,
): Promise<Response> {
  const { session } = c.var
  const typed = await readForm(c)
  const read: Record<string, unknown> = {}
  let problems: Record<string, string> = {}
  for (const [name, field] of Object.entries(fields)) {
    const texts = typed.getAll(name).map(text => text.trim())
    try {
      read[name] = readField(field, texts)
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error
      problems[name] = error.message
    }
  }
  const values = read as Values<F>
  problems = { ...check(c, values), ...problems }
  try {
    if (Object.keys(problems).length === 0) {
      const done = await run(values)
      const { to = end, ...notices } = typeof done === 'string' ? { notice: done } : done
      session.keep(notices)
      return c.redirect(to, 303)
    }
  } catch (error) {
    problems[fieldOf(fields, error)] = (error as Error).message
  }
  typed.delete('csrf')
  const [path = page] = page.split('?')
  session.keep({ refused: { page: path, action: c.req.path, problems, typed: typed.toString() } })
  return c.redirect(page, 303)
}

/** Returns the name of the refused field; `''` for the whole form. @throws any other error */
function fieldOf(fields: Fields, error: unknown): string {
  if (error instanceof FieldProblem) return error.field ?? ''
  if (error instanceof OperatorError && error.status < 500) return ''
  const { code } = expectAccountError(error)
  return Object.keys(fields).find(name => syntaxOf(fields[name]).refusals?.includes(code)) ?? ''
}
