/**
 * Bounds the bodies of requests. Hono's own `bodyLimit` makes a whole `Request` and a stream of every request, a third of what a
 * command of the operator costs; so that is left to the few whose length is not known beforehand.
 */
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'

interface Bound {
  /** Bytes. */
  maxSize: number
  /** Answers a request whose body is larger. */
  onError: (c: Context) => Response | Promise<Response>
}

/** A request of a larger body is answered by `onError`; all others go on. */
export function boundedBody({ maxSize, onError }: Bound): MiddlewareHandler {
  const counted = bodyLimit({ maxSize, onError })
  return async (c, next) => {
    // A body that announces neither is counted as well: only Node.js guarantees that there is none.
    const length = c.req.header('Content-Length')
    if (c.req.header('Transfer-Encoding') !== undefined) return counted(c, next)
    if (length === undefined) return isBodiless(c.req.method) ? next() : counted(c, next)
    // Node.js reads exactly as many bytes.
    return Number(length) > maxSize ? onError(c) : next()
  }
}

function isBodiless(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}
