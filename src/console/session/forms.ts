import { HTTPException } from 'hono/http-exception'
import type { PageContext } from './page-context.ts'
import type { Flash } from './sessions.ts'

const MALFORMED = 'This form is malformed: send it as application/x-www-form-urlencoded.\n'
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** Returns the fields of a form. Multipart bodies are refused. @throws HTTPException 400 */
export async function readForm(c: PageContext): Promise<URLSearchParams> {
  if (!FORM_TYPE.test(c.req.header('Content-Type') ?? ''))
    throw new HTTPException(400, { message: MALFORMED })
  // Hono caches the text, so every check and handler may call this.
  return new URLSearchParams(await c.req.text())
}

/** Returns a field's text, trimmed; `''` if it is missing. @throws HTTPException 400 */
export async function formText(c: PageContext, name: string): Promise<string> {
  return (await readForm(c)).get(name)?.trim() ?? ''
}

/** Result of a form. `to` is the page that it leads to. */
export type Done = Pick<Flash, 'notice' | 'caution' | 'copy' | 'onward'> & { to?: string }
