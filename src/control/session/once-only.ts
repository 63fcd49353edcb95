/**
 * Makes repeated forms take effect once, and shows a fresh key once. Each form has a token with its own mask, so the same bytes
 * at the same path are the same form. The first one runs. Repetitions get its answer and its notice.
 */
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { MiddlewareHandler, Next } from 'hono'
import { ExpiringMap } from '../../platform/expiring-map.ts'
import { MINUTE_MS } from '../../platform/time.ts'
import type { PageContext, PageEnv } from '../dashboard.ts'
import { isRead } from './access.ts'
import type { Flash } from './sessions.ts'

/** Maximum number of remembered forms. */
const FORMS_SENT_MAX = 10_000
/** Time in which a repetition gets the first answer. */
const FORM_REPEAT_MS_MAX = 2 * MINUTE_MS

interface Answer {
  response: Response
  notice: string | undefined
  keyLabel: string | undefined
  isRefused: boolean
}

export function onceOnly(): MiddlewareHandler<PageEnv> {
  const answers = new ExpiringMap<Promise<Answer>>(FORMS_SENT_MAX)
  return async (c, next) => {
    if (isRead(c)) return next()
    const form = await fingerprint(c)
    const earlier = answers.get(form)
    if (earlier !== undefined) {
      const { response, notice, keyLabel } = await earlier
      const { session } = c.var
      if (notice !== undefined) session.keep({ notice })
      if (keyLabel !== undefined && session.kept()?.freshKey === undefined)
        session.keep({ notice: shownBeforeText(keyLabel) })
      c.res = response.clone()
      return
    }
    const answer = answerOf(c, next)
    answers.set(form, answer, FORM_REPEAT_MS_MAX)
    const { response, isRefused } = await answer
    // A refused form has changed nothing, and its answer may be large.
    if (isRefused || response.status !== 303) answers.delete(form)
  }
}

/** Runs a form. The application has turned its errors into answers. */
async function answerOf(c: PageContext, next: Next): Promise<Answer> {
  await next()
  const { notice, freshKey, refused } = c.var.session.kept() ?? {}
  return { response: c.res.clone(), notice, keyLabel: freshKey?.label, isRefused: refused !== undefined }
}

function shownBeforeText(label: string): string {
  return (
    `This form was sent before. Its key${label === '' ? '' : ` “${label}”`} exists and was shown once. ` +
    'If you have not copied it, revoke it and create another key.'
  )
}

async function fingerprint(c: PageContext): Promise<string> {
  const parts = [c.var.session.id, c.req.path, await c.req.text()]
  return createHash('sha256').update(parts.join('\n')).digest('base64')
}

/** Returns the fresh key for this page. The next page shows it only if this page does not reach the browser. */
export function takeFreshKey(c: PageContext): Flash['freshKey'] {
  // HEAD shows no page.
  if (c.req.method !== 'GET') return undefined
  const { session } = c.var
  const freshKey = session.take('freshKey')
  if (freshKey !== undefined) keepUnlessSent(c.env.outgoing, () => session.keep({ freshKey }))
  return freshKey
}

export function keepUnlessSent(response: ServerResponse, keep: () => void): void {
  response.once('close', () => {
    if (!response.writableFinished) keep()
  })
}
