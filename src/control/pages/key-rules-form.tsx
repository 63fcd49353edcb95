/** What a key may be used for: the form, and what was typed into it. */
import { USAGE_CLASSES, type UsageName } from '../../accounts/endpoint-usage.ts'
import type { AccountErrorCode } from '../../accounts/errors.ts'
import { type KeyRulesView, type KeyView, NO_RULES } from '../../accounts/views.ts'
import { KEY_ADDRESSES_MAX } from '../../limits.ts'
import { parseNetwork } from '../../networks.ts'
import { Field } from '../layout/field.tsx'
import { formText } from '../layout/forms.ts'
import { Form, Section } from '../layout/parts.tsx'
import { LIMIT_PROBLEM, typedLimit } from '../layout/typed-limit.ts'
import type { PageContext } from '../shell/dashboard.ts'
import { readForm } from '../shell/read-form.ts'

const WINDOWS = [
  ['perMinute', 'Queries per minute'],
  ['perHour', 'Queries per hour'],
  ['perDay', 'Queries per day'],
] as const

const REFUSALS =
  'A request that they refuse is free: 401 after the expiry, 403 for another endpoint or address, 429 beyond a limit.'
const EXPIRY_PROBLEM = 'Give a time in UTC such as 2027-01-31 12:00, or leave it empty.'
const ENDPOINT_NAMES: Partial<Record<UsageName, string>> = {
  bulk: 'validate-bulk',
  metacode: 'metacode, metazip',
}

export function KeyRulesForm({ c, view }: { c: PageContext; view: KeyView }) {
  const action = `/keys/${view.id}/rules`
  return (
    <Section title="Rules" hint={`They hold from the next request. ${REFUSALS}`}>
      <Form c={c} action={action} class="grid">
        <RuleFields c={c} action={action} rules={view.rules} />
        <div class="actions">
          <button type="submit">Save the rules</button>
        </div>
      </Form>
    </Section>
  )
}

/** The same fields in the form for a new key, folded away until somebody wants them or one of them was refused. */
export function NewKeyRules({ c, action }: { c: PageContext; action: string }) {
  const refused = c.var.refused?.action === action ? c.var.refused : undefined
  return (
    <details open={refused !== undefined && refused.field !== 'label'}>
      <summary>Rules: expiry, limits, addresses, endpoints</summary>
      <p class="muted">{REFUSALS} They can be changed later.</p>
      <div class="grid">
        <RuleFields c={c} action={action} rules={NO_RULES} />
      </div>
    </details>
  )
}

interface RuleFieldsProps {
  c: PageContext
  /** The address that the form is sent to. */
  action: string
  rules: KeyRulesView
}

function RuleFields({ c, action, rules }: RuleFieldsProps) {
  const { expiresMs, limits, addresses } = rules
  return (
    <>
      <Field
        {...{ c, action, name: 'expires', label: 'Expires (UTC)', type: 'datetime-local' }}
        value={expiryText(expiresMs)}
        hint="Empty: never."
      />
      {WINDOWS.map(([window, label]) => (
        <Field
          {...{ c, action, name: window, label, inputmode: 'numeric', placeholder: 'no limit' }}
          value={String(limits?.[window] ?? '')}
        />
      ))}
      <Field
        {...{ c, action, name: 'addresses', label: 'Allowed addresses', rows: 3 }}
        value={addresses?.join('\n') ?? ''}
        placeholder={'203.0.113.0/24\n2001:db8::/32'}
        hint={`One address or network in each line, at most ${KEY_ADDRESSES_MAX}. Empty: from everywhere.`}
      />
      <Endpoints c={c} action={action} rules={rules} />
    </>
  )
}

function Endpoints({ c, action, rules }: RuleFieldsProps) {
  const refused = c.var.refused?.action === action ? c.var.refused : undefined
  const chosen = refused?.values.getAll('endpoint') ?? rules.endpoints ?? []
  return (
    <fieldset class="choices">
      <legend>Allowed endpoints</legend>
      {USAGE_CLASSES.map(name => (
        <label>
          <input type="checkbox" name="endpoint" value={name} checked={(chosen as string[]).includes(name)} />
          {ENDPOINT_NAMES[name] ?? name}
        </label>
      ))}
      {refused?.field === 'endpoint' && (
        <p class="wrong" role="alert">
          {refused.problem}
        </p>
      )}
      <span class="hint">None chosen: all of them. What is free is always allowed.</span>
    </fieldset>
  )
}

/**
 * The rules of a form, or which field is wrong.
 * @param view the key as it is; without it, a new one
 * @throws MalformedForm
 */
export async function typedRules(
  c: PageContext,
  { rules }: Pick<KeyView, 'rules'> = { rules: NO_RULES },
): Promise<KeyRulesView | { field: string; problem: string }> {
  const expires = await formText(c, 'expires')
  // The form shows minutes: what was not touched stays as it is to the millisecond.
  const expiresMs = expires === expiryText(rules.expiresMs) ? rules.expiresMs : typedExpiry(expires)
  if (expiresMs === undefined) return { field: 'expires', problem: EXPIRY_PROBLEM }
  const limits = { perMinute: null, perHour: null, perDay: null } as NonNullable<KeyRulesView['limits']>
  for (const [window] of WINDOWS) {
    const limit = typedLimit(await formText(c, window))
    if (limit === undefined) return { field: window, problem: LIMIT_PROBLEM }
    limits[window] = limit
  }
  const addresses = (await formText(c, 'addresses')).split(/[\s,]+/).filter(text => text !== '')
  const wrong = addresses.find(text => parseNetwork(text) === null)
  if (wrong !== undefined) {
    const problem = `${wrong.slice(0, 64)} is not an address or a network such as 203.0.113.0/24.`
    return { field: 'addresses', problem }
  }
  const chosen = (await readForm(c)).getAll('endpoint') as UsageName[]
  return {
    expiresMs,
    limits,
    endpoints: chosen.length === 0 ? null : chosen,
    addresses: addresses.length === 0 ? null : addresses,
  }
}

/** The field of the form that a refusal is about; `otherwise` when it is about the key as a whole. */
export function fieldOf(code: AccountErrorCode, otherwise: string): string {
  switch (code) {
    case 'INVALID_ENDPOINTS':
      return 'endpoint'
    case 'INVALID_ADDRESSES':
      return 'addresses'
    case 'INVALID_LIMITS':
      return 'perMinute'
    case 'INVALID_EXPIRY':
      return 'expires'
    default:
      return otherwise
  }
}

/** As a field of the type `datetime-local` has it, in UTC. */
function expiryText(ms: number | null): string {
  return ms === null ? '' : new Date(ms).toISOString().slice(0, 16)
}

/** Milliseconds of a date, or of a date and a time in UTC; null for none, undefined for what is not one. */
function typedExpiry(text: string): number | null | undefined {
  if (text === '') return null
  const [, date, time = '00:00'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?(?: UTC|Z)?$/.exec(text) ?? []
  const ms = Date.parse(`${date}T${time}Z`)
  return Number.isNaN(ms) ? undefined : ms
}
