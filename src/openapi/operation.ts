/** What the document says of one path. */
import type { ErrorCode } from '../errors.ts'
import type { Schema } from './schema.ts'

export type Group = 'Postal codes' | 'Cities and places' | 'Batches' | 'Account'

export interface Operation {
  readonly path: string
  readonly group: Group
  readonly summary: string
  /** Markdown. */
  readonly description: string
  readonly request: Schema<unknown>
  readonly answer: Schema<unknown>
  /** Its own errors; those that every request may get are added. */
  readonly errors: readonly ErrorCode[]
  readonly example: Example<unknown, unknown>
  readonly isDeprecated?: boolean
}

interface Example<Q, A> {
  /** Without the key, which the document adds. */
  readonly request: Q
  readonly answer: A
}

interface Parts<Q, A> extends Omit<Operation, 'request' | 'answer' | 'example'> {
  readonly request: Schema<Q>
  readonly answer: Schema<A>
  readonly example: Example<Omit<Q, 'apiKey'>, A>
}

/** An operation whose example has the types of its shapes. */
export function operation<Q, A>(parts: Parts<Q, A>): Operation {
  return parts
}
