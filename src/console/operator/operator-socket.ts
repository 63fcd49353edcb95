/** Serves `POST /operator/<command>` on a Unix socket, not on a port: its mode is the only authentication. */
import { rm } from 'node:fs/promises'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Log } from '../../platform/log.ts'
import { closeAll } from '../../platform/promises.ts'
import { type Listening, listen } from '../listen.ts'
import { socketPath } from './operator-client.ts'
import { OperatorError } from './operator-error.ts'

const OPERATOR_BODY_BYTES_MAX = 64 * 1024

/** Runs a command by name. Resolves when its effect is durable. @throws OperatorError */
type Execute = (name: string, params: unknown) => Promise<unknown>

function operatorApp(execute: Execute, log: Log) {
  const app = new Hono()
  const refuseBody = () => {
    throw new OperatorError('invalid', `parameters exceed ${OPERATOR_BODY_BYTES_MAX} bytes`)
  }
  const bounded = bodyLimit({ maxSize: OPERATOR_BODY_BYTES_MAX, onError: refuseBody })
  app.post('/operator/:name', bounded, async c => {
    const params: unknown = await c.req.json().catch(() => {
      throw new OperatorError('invalid', 'parameters must be JSON')
    })
    const result = await execute(c.req.param('name'), params)
    return c.json({ result: result ?? null })
  })
  app.onError((error, c) => {
    if (error instanceof OperatorError)
      return c.json({ error: { code: error.code, message: error.message } }, error.status)
    log.error({ err: error, path: c.req.path }, 'operator command failed')
    return c.json({ error: { code: 'internal', message: 'internal error: see the log of the server' } }, 500)
  })
  return app
}

/** Listens on `socketFile`. The caller holds the lock of the data folder, so an existing socket is stale. */
export async function listenToOperator(socketFile: string, execute: Execute, log: Log): Promise<Listening> {
  await rm(socketFile, { force: true }).catch((error: Error) => {
    throw new Error(
      `${socketFile}: ${error.message}. The server needs this path for its socket: move it away, then restart.`,
    )
  })
  const { path, free } = socketPath(socketFile)
  try {
    const { port, close } = await listen(operatorApp(execute, log), { path })
    return { port, close: () => closeAll(close, free) }
  } catch (error) {
    free()
    throw error
  }
}
