/** A labelled field of a form. When its form was not accepted, it shows again what was typed, and the reason next to it. */
import type { Child } from 'hono/jsx'
import type { PageContext } from '../shell/dashboard.ts'
import { readForm } from '../shell/read-form.ts'

interface FieldProps {
  c: PageContext
  /** The address that its form is sent to. */
  action: string
  name: string
  label: string
  value?: string
  hint?: Child
  placeholder?: string
  inputmode?: 'decimal' | 'numeric' | 'url' | 'email'
  type?: 'datetime-local'
  /** Lines of a field for several of them. */
  rows?: number
  maxlength?: number
  required?: boolean
}

export function Field({ c, action, name, label, value, hint, rows, ...rest }: FieldProps) {
  const refused = c.get('refused')?.action === action ? c.get('refused') : undefined
  const problem = refused?.field === name ? refused.problem : undefined
  const id = `problem-${name}`
  const shown = refused?.values.get(name) ?? value
  // Forms of one page may have fields of the same name.
  const control = `${action}-${name}`
  const attributes = {
    id: control,
    autocomplete: 'off',
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    'aria-describedby': problem === undefined ? undefined : id,
    autofocus: problem !== undefined,
    ...rest,
  }
  return (
    <div class="field">
      <label for={control}>
        {label}
        {rows === undefined ? (
          <input name={name} value={shown} {...attributes} />
        ) : (
          <textarea name={name} rows={rows} {...attributes}>
            {shown}
          </textarea>
        )}
      </label>
      {problem !== undefined && (
        <p class="wrong" role="alert" id={id}>
          {problem}
        </p>
      )}
      {hint && <span class="hint">{hint}</span>}
    </div>
  )
}

/** Notes why the form of this request is not accepted. The page that answers it shows this at `field`. @throws MalformedForm */
export async function refuseField(c: PageContext, field: string, problem: string): Promise<void> {
  c.set('refused', { action: c.req.path, field, problem, values: await readForm(c) })
}
