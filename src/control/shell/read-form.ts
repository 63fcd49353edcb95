/** The only parser of bodies that browsers send. */
import type { PageContext } from './dashboard.ts'

/** A body that is not a form as the dashboard's pages send them. */
export class MalformedForm extends Error {
  override readonly name = 'MalformedForm'
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i

/**
 * The fields of a form. All pages send URL-encoded fields, which cannot be malformed, unlike multipart bodies.
 * @throws MalformedForm for any other type of body
 */
export async function readForm(c: PageContext): Promise<URLSearchParams> {
  if (!FORM_TYPE.test(c.req.header('Content-Type') ?? '')) throw new MalformedForm()
  // Hono keeps the text, so that every check and handler of a request may ask for it.
  return new URLSearchParams(await c.req.text())
}
