/** Reading forms, and separating what a customer can correct from what only the operator can. */
import { AccountError, type AccountErrorCode } from '../../accounts/errors.ts'
import type { PageContext } from '../shell/dashboard.ts'
import { readForm } from '../shell/read-form.ts'

/** A field's text, trimmed; `''` when it is missing. @throws MalformedForm */
export async function formText(c: PageContext, name: string): Promise<string> {
  return (await readForm(c)).get(name)?.trim() ?? ''
}

export type Attempt<T> = { done: T } | { problem: string; code: AccountErrorCode }

/** Waits for a command and turns a refusal into a sentence for the page. @throws whatever is not a refusal */
export async function attempt<T>(command: Promise<T>): Promise<Attempt<T>> {
  try {
    return { done: await command }
  } catch (error) {
    if (error instanceof AccountError && error.code !== 'UNAVAILABLE')
      return { problem: error.message, code: error.code }
    throw error
  }
}
