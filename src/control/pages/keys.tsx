/** API keys: create, show once, list, rename, cap, restrict, roll, revoke. */
import type { KeyView } from '../../accounts/views.ts'
import { CREDIT_MAX_MICROS } from '../../limits.ts'
import { refuseField } from '../layout/field.tsx'
import { attempt, formText } from '../layout/forms.ts'
import { member } from '../layout/member.ts'
import { typedDollars } from '../layout/typed-dollars.ts'
import { utcMinute } from '../layout/words.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'
import { KeyList } from './key-list.tsx'
import { KeyPage, OVERLAPS, RevokePage, RollPage } from './key-page.tsx'
import { fieldOf, typedRules } from './key-rules-form.tsx'

const HOUR_MS = 3_600_000
const CAP_PROBLEM = 'The cap must be an amount in dollars, such as 2.50, or empty for no cap.'

export function addKeyPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard

  app.get('/keys', c => c.html(<KeyList c={c} dashboard={dashboard} />))

  app.post('/keys', async c => {
    const label = await formText(c, 'label')
    const rules = await typedRules(c)
    const made =
      'problem' in rules ? rules : await attempt(accounts.createKey(c.var.account.id, { label, rules }))
    if ('problem' in made) {
      await refuseField(c, 'field' in made ? made.field : fieldOf(made.code, 'label'), made.problem)
      return c.html(<KeyList c={c} dashboard={dashboard} />, 400)
    }
    // Shown by the page that follows, so that reloading it neither shows the key again nor makes another.
    c.var.session.keep({ freshKey: { label: made.done.label, key: made.done.key } })
    return c.redirect((await formText(c, 'from')) === 'overview' ? '/' : '/keys', 303)
  })

  app.get('/keys/:id', c => {
    const key = ownKey(c, dashboard)
    return key === undefined ? c.notFound() : c.html(<KeyPage c={c} view={key} />)
  })

  app.get('/keys/:id/revoke', c => {
    const key = ownKey(c, dashboard)
    if (key === undefined) return c.notFound()
    return key.revokedMs === null
      ? c.html(<RevokePage c={c} view={key} />)
      : c.redirect(`/keys/${key.id}`, 303)
  })

  app.post('/keys/:id/rename', async c => {
    const label = await formText(c, 'label')
    return change(c, dashboard, 'label', id => accounts.renameKey(id, label), 'The key is renamed.')
  })

  app.post('/keys/:id/cap', async c => {
    const text = await formText(c, 'usd')
    const micros = text === '' ? null : typedDollars(text)
    if (text !== '' && (micros === null || micros > CREDIT_MAX_MICROS)) {
      const key = ownKey(c, dashboard)
      if (key === undefined) return c.notFound()
      await refuseField(c, 'usd', CAP_PROBLEM)
      return c.html(<KeyPage c={c} view={key} />, 400)
    }
    const notice = micros === null ? 'The cap is removed.' : 'The cap is set.'
    return change(c, dashboard, 'usd', id => accounts.setKeyCap(id, micros), notice)
  })

  app.post('/keys/:id/rules', async c => {
    const key = ownKey(c, dashboard)
    if (key === undefined) return c.notFound()
    const typed = await typedRules(c, key)
    const set = 'problem' in typed ? typed : await attempt(accounts.setKeyRules(key.id, typed))
    if ('problem' in set) {
      await refuseField(c, 'field' in set ? set.field : fieldOf(set.code, 'expires'), set.problem)
      return c.html(<KeyPage c={c} view={key} />, 400)
    }
    c.var.session.keep({ notice: 'The rules are saved. They hold from the next request.' })
    return c.redirect(`/keys/${key.id}`, 303)
  })

  app.get('/keys/:id/roll', c => {
    const key = ownKey(c, dashboard)
    if (key === undefined) return c.notFound()
    return key.revokedMs === null ? c.html(<RollPage c={c} view={key} />) : c.redirect(`/keys/${key.id}`, 303)
  })

  app.post('/keys/:id/roll', async c => {
    const key = ownKey(c, dashboard)
    if (key === undefined) return c.notFound()
    const hours = member(OVERLAPS, await formText(c, 'overlap'))
    if (hours === undefined) return c.html(<RollPage c={c} view={key} />, 400)
    const rolled = await attempt(accounts.rollKey(key.id, Number(hours) * HOUR_MS))
    if ('problem' in rolled) return c.redirect(`/keys/${key.id}`, 303)
    c.var.session.keep({ freshKey: { label: rolled.done.label, key: rolled.done.key } })
    return c.redirect('/keys', 303)
  })

  app.post('/keys/:id/end-overlap', async c => {
    const run = (id: string) => accounts.endKeyOverlap(id)
    return change(c, dashboard, 'earlier', run, 'Only the present secret works from now on.')
  })

  for (const action of ['rename', 'cap', 'rules', 'end-overlap'])
    app.get(`/keys/:id/${action}`, c => c.redirect(`/keys/${c.req.param('id')}`, 303))

  app.post('/keys/:id/revoke', async c => {
    const key = ownKey(c, dashboard)
    if (key === undefined) return c.notFound()
    const { revokedMs } = key
    await accounts.revokeKey(key.id)
    c.var.session.keep({
      notice:
        revokedMs === null
          ? 'The key is revoked. Requests with it are refused from now on.'
          : `Nothing was changed: this key has been revoked since ${utcMinute(revokedMs)} UTC.`,
    })
    return c.redirect('/keys', 303)
  })
}

/** The key that the address names, if it belongs to the signed-in account. */
function ownKey(c: PageContext, { accounts }: Dashboard): KeyView | undefined {
  const key = accounts.key(c.req.param('id') ?? '')
  return key?.account === c.var.account.id ? key : undefined
}

/** Changes the key that the address names by the form's one `field`, and shows it again. */
async function change(
  c: PageContext,
  dashboard: Dashboard,
  field: string,
  run: (id: string) => Promise<KeyView>,
  notice: string,
) {
  const key = ownKey(c, dashboard)
  if (key === undefined) return c.notFound()
  const changed = await attempt(run(key.id))
  if ('problem' in changed) {
    await refuseField(c, field, changed.problem)
    return c.html(<KeyPage c={c} view={key} />, 400)
  }
  c.var.session.keep({ notice })
  return c.redirect(`/keys/${key.id}`, 303)
}
