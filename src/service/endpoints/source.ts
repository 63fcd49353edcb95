/** Source of answers for commands and agents: an index or a service. */
import type { PostalCodes } from '../../postal/library/postal-codes.ts'
import { type Fault, isFault } from './endpoint.ts'
import { ENDPOINTS, type EndpointBody, type EndpointName, type EndpointResult } from './table.ts'

/** Answers a question; undefined for an unknown code, city or state, or a country without data. */
export type Ask = <N extends EndpointName>(
  name: N,
  body: EndpointBody<N>,
) => Promise<EndpointResult<N> | undefined>

export interface CodeSource {
  readonly ask: Ask
  /** Returns what is wrong with a body, or null. A service checks its bodies itself, when `ask` is called. */
  check(name: EndpointName, body: object): Fault | null
}

export function indexSource(codes: PostalCodes): CodeSource {
  return {
    check: (name, body) => ENDPOINTS[name].check(codes, { ...body }),
    async ask<N extends EndpointName>(name: N, body: EndpointBody<N>) {
      const answer = ENDPOINTS[name].run(codes, { ...body })
      return isFault(answer) ? undefined : (answer as EndpointResult<N>)
    },
  }
}
