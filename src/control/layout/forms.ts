/** Reading forms, and telling what a customer can mend from what only the operator can. */
import { AccountError } from '../../accounts/errors.ts'
import type { PageContext } from '../shell/dashboard.ts'

/** A field's text, trimmed; `''` when it is missing or a file. */
export async function formText(c: PageContext, name: string): Promise<string> {
  const value = (await c.req.parseBody())[name]
  return typeof value === 'string' ? value.trim() : ''
}

export type Attempt<T> = { done: T } | { problem: string }

/** Waits for a command and turns a refusal into a sentence for the page. @throws whatever is not a refusal */
export async function attempt<T>(command: Promise<T>): Promise<Attempt<T>> {
  try {
    return { done: await command }
  } catch (error) {
    if (error instanceof AccountError && error.code !== 'UNAVAILABLE') return { problem: error.message }
    throw error
  }
}
