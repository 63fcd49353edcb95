/** A fresh key is shown by one page, which must have reached the browser. */
import type { ServerResponse } from 'node:http'
import type { PageContext } from './dashboard.ts'
import type { Flash } from './sessions.ts'

/** The key that the page of `c` shows and the next page does not, unless this one never came. */
export function takeFreshKey(c: PageContext): Flash['freshKey'] {
  // The answer to HEAD has no page.
  if (c.req.method !== 'GET') return undefined
  const { session } = c.var
  const freshKey = session.take('freshKey')
  if (freshKey !== undefined) keepUnlessSent(c.env.outgoing, () => session.keep({ freshKey }))
  return freshKey
}

/** Calls `keep` when the connection of `response` closes before all of it has been handed to the network. */
export function keepUnlessSent(response: ServerResponse, keep: () => void): void {
  response.once('close', () => {
    if (!response.writableFinished) keep()
  })
}
