/**
 * A form that is sent several times takes effect once. Each form carries the session's token under a mask of its own, so the
 * same bytes at the same address are the same form: the clicks of somebody who waits for a slow answer. The first one runs;
 * the others get its answer, with the notice that it left for the next page. A fresh key is shown once, so it is not left again
 * (`keepUnlessSent` is for the page that never came).
 */
import { createHash } from 'node:crypto'
import type { MiddlewareHandler, Next } from 'hono'
import { ExpiringMap } from '../../platform/expiring-map.ts'
import { FORM_REPEAT_MS_MAX, FORMS_SENT_MAX } from '../limits.ts'
import type { PageContext, PageEnv } from './dashboard.ts'

interface Answer {
  response: Response
  /** What the form said to the next page. */
  notice: string | undefined
  /** The label of the key that the form made. */
  keyLabel: string | undefined
}

/** Comes after the checks of the session and of the form's token. */
export function onceOnly(): MiddlewareHandler<PageEnv> {
  const answers = new ExpiringMap<Promise<Answer>>(FORMS_SENT_MAX)
  return async (c, next) => {
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next()
    const form = await fingerprint(c)
    const earlier = answers.get(form)
    if (earlier !== undefined) {
      const { response, notice, keyLabel } = await earlier
      const { session } = c.var
      if (notice !== undefined) session.keep({ notice })
      if (keyLabel !== undefined && session.kept()?.freshKey === undefined)
        session.keep({ notice: shownBefore(keyLabel) })
      c.res = response.clone()
      return
    }
    const answer = answerOf(c, next)
    answers.set(form, answer, FORM_REPEAT_MS_MAX)
    const { response } = await answer
    // A page is not kept: it may be large, and a form that was refused has changed nothing.
    if (response.status !== 303) answers.delete(form)
  }
}

/** Errors do not arrive here: the application has turned them into answers. */
async function answerOf(c: PageContext, next: Next): Promise<Answer> {
  await next()
  const { notice, freshKey } = c.var.session.kept() ?? {}
  return { response: c.res.clone(), notice, keyLabel: freshKey?.label }
}

function shownBefore(label: string): string {
  return (
    `This form was sent before. Its key${label === '' ? '' : ` “${label}”`} exists and has been shown, which happens once. ` +
    'If you have not copied it, revoke it and create another one.'
  )
}

async function fingerprint(c: PageContext): Promise<string> {
  const parts = [c.var.session.id, c.req.path, await c.req.text()]
  return createHash('sha256').update(parts.join('\n')).digest('base64')
}
