/** Reads the forms that browsers send. */
import type { PageContext } from '../dashboard.ts'

export class MalformedForm extends Error {
  override readonly name = 'MalformedForm'
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** Returns the fields of a form. Multipart bodies are refused. @throws MalformedForm */
export async function readForm(c: PageContext): Promise<URLSearchParams> {
  if (!FORM_TYPE.test(c.req.header('Content-Type') ?? '')) throw new MalformedForm()
  // Hono caches the text, so every check and handler may call this.
  return new URLSearchParams(await c.req.text())
}

/** Returns a field's text, trimmed; `''` if it is missing. @throws MalformedForm */
export async function formText(c: PageContext, name: string): Promise<string> {
  return (await readForm(c)).get(name)?.trim() ?? ''
}
