/**
 * Forms from a description of their fields, which draws them, reads them, and shows each problem beside its field. A form is
 * always answered with a redirect, so going back or reloading sends nothing again.
 */
import type { Child, PropsWithChildren } from 'hono/jsx'
import type * as z from 'zod'
import { type AccountErrorCode, commandRefusal } from '../../billing/accounts/account-error.ts'
import type { PageApp, PageContext } from '../dashboard.ts'
import type { ParamSyntax } from '../operator/params.ts'
import { readForm } from '../session/forms.ts'
import { count, member, money, sixDecimals, typedDollars } from '../words.ts'
import { Page } from './page.tsx'
import { Button, Form, Link } from './parts.tsx'

/** Thrown by `read` or by the function that runs a form, for a wrong field. */
export class FieldProblem extends Error {
  readonly field: string | undefined

  constructor(problem: string, field?: string) {
    super(problem)
    this.field = field
  }
}

export interface FieldKind<T> {
  label: string
  /** Returns the value. @param texts trimmed; one for each ticked box, or one for any other field @throws FieldProblem */
  read(texts: readonly string[]): T
  show(value: T): string | readonly string[]
  hint?: Child
  placeholder?: string
  inputmode?: 'decimal' | 'numeric' | 'url' | 'email'
  type?: 'datetime-local'
  maxlength?: number
  required?: boolean
  rows?: number
  options?: Readonly<Record<string, string>>
  isMany?: boolean
  refusals?: readonly AccountErrorCode[]
}

// biome-ignore lint/suspicious/noExplicitAny: fields of one form have values of different types.
export type Fields = Readonly<Record<string, FieldKind<any>>>
export type Values<F extends Fields> = { [K in keyof F]: F[K] extends FieldKind<infer T> ? T : never }

type More<T> = Partial<Omit<FieldKind<T>, 'read' | 'show' | 'label'>>

export function textField(label: string, more: More<string>): FieldKind<string> {
  const read = ([text = '']: readonly string[]) => {
    if (more.required === true && text === '') throw new FieldProblem('Fill in this field.')
    if (more.maxlength !== undefined && text.length > more.maxlength)
      throw new FieldProblem(`At most ${count(more.maxlength)} characters.`)
    return text
  }
  return { label, read, show: text => text, ...more }
}

/** Describes an amount in micro-dollars. */
export function dollarsField(
  label: string,
  { min, max, problem, ...more }: More<number> & { min: number; max: number; problem: string },
): FieldKind<number> {
  const read = ([text = '']: readonly string[]) => {
    const micros = typedDollars(text)
    if (micros === null || micros < min || micros > max) throw new FieldProblem(problem)
    return micros
  }
  return { label, read, show: shownDollars, inputmode: 'decimal', required: true, ...more }
}

function shownDollars(micros: number): string {
  return money(micros).slice(1).replaceAll(',', '')
}

/** Value of a parameter in a form: an empty field is null if the parameter may be missing. */
type FieldValue<T> = undefined extends T ? Exclude<T, undefined> | null : T
type ParamFields<S> = { [K in keyof S]: S[K] extends z.ZodType<infer T> ? FieldKind<FieldValue<T>> : never }

/** Describes fields for parameters of a command. The parameter checks the value, after the writing of a person is undone. */
export function paramFields<S extends Readonly<Record<string, z.ZodType>>>(shape: S): ParamFields<S> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, paramField(schema)]),
  ) as ParamFields<S>
}

function paramField(schema: z.ZodType): FieldKind<unknown> {
  const {
    label = '',
    kind,
    empty,
    problem = '',
    hint,
    lengthMax,
    refusals,
  }: ParamSyntax = schema.meta() ?? {}
  const isOptional = schema.safeParse(undefined).success
  const shared = { hint, refusals, required: !isOptional }
  if (kind === undefined) return textField(label, { ...shared, maxlength: lengthMax })
  const { plain, show, inputmode } = WRITINGS[kind]
  const read = ([text = '']: readonly string[]) => {
    if (text === '' && isOptional) return null
    const { success, data } = schema.safeParse(plain(text))
    if (!success) throw new FieldProblem(problem)
    return data
  }
  return {
    ...shared,
    label,
    placeholder: empty,
    inputmode,
    read,
    show: v => (v === null ? '' : show(Number(v))),
  }
}

/** Writing of numbers: `1,000` is 1000, and `$1,000` is `1000.000000`. The parameter refuses what is neither. */
const WRITINGS = {
  number: {
    plain: (text: string) =>
      /^(\d{1,9}|\d{1,3}(,\d{3}){1,2})$/.test(text) ? Number(text.replaceAll(',', '')) : text,
    show: count,
    inputmode: 'numeric',
  },
  dollars: {
    plain: (text: string) => sixDecimals(typedDollars(text) ?? Number.NaN),
    show: shownDollars,
    inputmode: 'decimal',
  },
} as const

export function choiceField<K extends string>(
  label: string,
  options: Readonly<Record<K, string>>,
  more: More<K> = {},
): FieldKind<K> {
  const read = ([text]: readonly string[]) => {
    const chosen = member(options, text)
    if (chosen === undefined) throw new FieldProblem('Choose an option of the list.')
    return chosen
  }
  return { label, read, show: value => value, options, ...more }
}

/** Describes a group of tick boxes; null if none is ticked. The command refuses unknown values. */
export function ticksField<K extends string>(
  label: string,
  options: Readonly<Record<K, string>>,
  more: More<K[] | null>,
): FieldKind<K[] | null> {
  const read = (texts: readonly string[]) => {
    const ticked = texts.filter(text => text !== '') as K[]
    return ticked.length === 0 ? null : ticked
  }
  return { label, read, show: value => value ?? [], options, isMany: true, ...more }
}

interface FieldProps {
  c: PageContext
  action: string
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: as in Fields.
  kind: FieldKind<any>
  value?: unknown
  hint?: Child
}

/** A labelled field. After a refusal it shows the typed text and the problem. */
export function Field({ c, action, name, kind, value, hint = kind.hint }: FieldProps) {
  const { options, isMany, rows, label, placeholder, inputmode, type, maxlength, required } = kind
  const refused = c.get('refused')?.action === action ? c.get('refused') : undefined
  const problem = refused?.problems[name]
  const typed = refused && new URLSearchParams(refused.typed).getAll(name)
  const shown = typed ?? [value === undefined ? '' : kind.show(value)].flat()
  const below = (
    <>
      {problem !== undefined && (
        <p class="wrong" role="alert" id={`problem-${name}`}>
          {problem}
        </p>
      )}
      {hint && <span class="hint">{hint}</span>}
    </>
  )
  if (isMany === true)
    return (
      <fieldset class="choices">
        <legend>{label}</legend>
        {Object.entries(options ?? {}).map(([option, text]) => (
          <label>
            <input type="checkbox" name={name} value={option} checked={shown.includes(option)} />
            {text}
          </label>
        ))}
        {below}
      </fieldset>
    )
  // Forms of one page may have fields of the same name.
  const id = `${action}-${name}`
  const attributes = {
    id,
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    'aria-describedby': problem === undefined ? undefined : `problem-${name}`,
    autofocus: problem !== undefined && Object.keys(refused?.problems ?? {})[0] === name,
  }
  const typing = { ...attributes, placeholder, inputmode, maxlength, required, autocomplete: 'off' }
  return (
    <div class={options === undefined ? 'field' : 'field choice'}>
      <label for={id}>
        {label}
        {options !== undefined ? (
          <select name={name} {...attributes}>
            {Object.entries(options).map(([option, text]) => (
              <option value={option} selected={shown[0] === option}>
                {text}
              </option>
            ))}
          </select>
        ) : rows === undefined ? (
          <input name={name} value={shown[0]} type={type} {...typing} />
        ) : (
          <textarea name={name} rows={rows} {...typing}>
            {shown[0]}
          </textarea>
        )}
      </label>
      {below}
    </div>
  )
}

export interface FormProps<F extends Fields> {
  c: PageContext
  action: string
  fields: F
  values?: Partial<Values<F>>
  hints?: Readonly<Partial<Record<keyof F, Child>>>
  class?: 'row' | 'grid' | 'stack'
  button: string
  kind?: 'primary' | 'danger'
}

export function FieldsForm<F extends Fields>(props: PropsWithChildren<FormProps<F>>) {
  const { c, action, fields, values, hints, button, kind, children } = props
  const name = props.class ?? 'row'
  const submit = <Button kind={kind} text={button} />
  return (
    <Form c={c} action={action} class={name}>
      {Object.entries(fields).map(([name, kind]) => (
        <Field {...{ c, action, name, kind }} value={values?.[name]} hint={hints?.[name]} />
      ))}
      {name === 'row' ? [submit, children] : <div class="actions">{[submit, children]}</div>}
    </Form>
  )
}

interface FoldProps<F extends Fields> extends FormProps<F> {
  title: string
  /** Id in the folded part: a link to it unfolds the form. */
  id?: string
  /** Present value, which is visible while the form is folded. */
  now: string
  hint: string
  isOpen?: boolean
}

/** A folded form. One form of a page is open at a time. A refused form is open. */
export function Fold<F extends Fields>(props: PropsWithChildren<FoldProps<F>>) {
  const { title, id, now, hint, isOpen = false, ...form } = props
  return (
    <details class="card" name="form" open={isOpen || form.c.get('refused')?.action === form.action}>
      <summary>
        <h2>{title}</h2> <span class="now">{now}</span>
      </summary>
      <p class="muted" id={id}>
        {hint}
      </p>
      <FieldsForm {...form} />
    </details>
  )
}

export interface Done {
  notice?: string
  to?: string
}

/** Path of the page with the form. A fragment would keep the browser from focusing a wrong field. */
type Back = string | ((c: PageContext) => string)
/** Runs a form. A returned sentence is a notice. @throws FieldProblem, or a refusal of a command for the page to show */
type Run<F extends Fields> = (c: PageContext, values: Values<F>) => Promise<string | Done>
/** Returns problems by field that depend on other fields or on the account. `values` lacks malformed fields. */
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

function pathOf(back: Back, c: PageContext): string {
  return typeof back === 'string' ? back : back(c)
}

interface Step {
  title: string
  lead?: Child
  text: Child
  button: string
  kind?: 'primary' | 'danger'
  hidden?: Readonly<Record<string, string>>
}

/**
 * Adds a step that cannot be undone, with a page that asks to confirm it. Works without scripts.
 * @param ask returns null if there is nothing to do; then the page redirects to `back`
 */
export function addStep(
  app: PageApp,
  path: string,
  back: Back,
  { ask, run }: { ask: (c: PageContext) => Step | null; run: Run<Record<never, never>> },
): void {
  app.get(path, c => {
    const step = ask(c)
    return step === null
      ? c.redirect(pathOf(back, c), 303)
      : c.html(<Confirmation c={c} back={pathOf(back, c)} {...step} />)
  })
  app.post(path, c => submit(c, pathOf(back, c), {}, () => run(c, {})))
}

export function Confirmation(props: PropsWithChildren<Step & { c: PageContext; back: string }>) {
  const { c, title, lead, text, button, kind = 'danger', back, hidden, children } = props
  return (
    <Page c={c} title={title} lead={lead}>
      <section class="card">
        <div>{text}</div>
        <Form c={c} action={c.req.path} class="actions" hidden={hidden}>
          {children}
          <Button kind={kind} text={button} />
          <Link href={back} text="Cancel" />
        </Form>
      </section>
    </Page>
  )
}

/**
 * Reads a form, runs it, and redirects to `page`. The page then shows the notice, or the typed text with all problems.
 * @throws errors of `run`, except FieldProblem and refusals of a command
 */
export async function submit<F extends Fields>(
  c: PageContext,
  page: string,
  fields: F,
  run: (values: Values<F>) => Promise<string | Done>,
  check: Check<F> = () => ({}),
): Promise<Response> {
  const { session } = c.var
  const typed = await readForm(c)
  const values: Partial<Values<F>> = {}
  let problems: Record<string, string> = {}
  for (const [name, kind] of Object.entries(fields)) {
    try {
      values[name as keyof F] = kind.read(typed.getAll(name).map(text => text.trim()))
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error
      problems[name] = error.message
    }
  }
  problems = { ...check(c, values), ...problems }
  try {
    if (Object.keys(problems).length === 0) {
      const done = await run(values as Values<F>)
      const { notice, to = page } = typeof done === 'string' ? { notice: done } : done
      if (notice !== undefined) session.keep({ notice })
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
  const { code } = commandRefusal(error)
  return Object.keys(fields).find(name => fields[name]?.refusals?.includes(code)) ?? ''
}
