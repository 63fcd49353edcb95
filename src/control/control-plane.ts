/** The pages and probes on CONTROL_PORT. Nothing here is hot, so libraries do the work. */

import { randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { Accounts } from '../accounts/accounts.ts'
import type { Config } from '../config.ts'
import type { DataPlane } from '../data-plane.ts'
import type { Log } from '../log.ts'
import { type ControlApp, type Listening, listen } from './listen.ts'
import { METRICS_CONTENT_TYPE, processMetrics, renderMetrics } from './metrics.ts'

export interface ControlPlaneParts {
  config: Config
  accounts: Accounts
  dataPlane: DataPlane
  log: Log
}

export function controlApp({ accounts, dataPlane, log }: ControlPlaneParts): ControlApp {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.get('/healthz', c => {
    const healthy = accounts.healthy
    return c.json({ status: healthy ? 'ok' : 'ledger unavailable' }, healthy ? 200 : 503)
  })
  app.get('/metrics', c => {
    const text = renderMetrics([...processMetrics(), ...dataPlane.metrics()])
    return c.body(text, 200, { 'Content-Type': METRICS_CONTENT_TYPE })
  })
  app.get('/', c => c.text('postrie control plane: /healthz, /metrics\n'))
  app.notFound(c => c.text('Not found\n', 404))
  app.onError((error, c) => {
    const id = randomUUID()
    log.error({ err: error, id, method: c.req.method, path: c.req.path }, 'request failed')
    return c.text(`Internal error. Tell the operator this number: ${id}\n`, 500)
  })
  return app
}

export function startControlPlane(parts: ControlPlaneParts): Promise<Listening> {
  const { host, controlPort } = parts.config
  return listen(controlApp(parts), { host, port: controlPort })
}
