/** Express over SQLite, with nothing in between but the body parser; no entity tags, which would hash every answer. */
import { openIndex } from '../../../src/index/open-index.ts'
import { load } from '../../packages.ts'
import { SqliteStore } from '../../stores/sqlite-store.ts'
import { plainPayers } from '../accounts.ts'
import { PlainService } from '../plain-service.ts'
import { ENDPOINTS, PATHS, type Start } from '../setup.ts'

interface ExpressResponse {
  status(status: number): ExpressResponse
  json(body: object): void
}
interface ExpressApp {
  disable(setting: string): void
  use(middleware: unknown): void
  post(path: string, handler: (req: { body: Record<string, unknown> }, res: ExpressResponse) => void): void
  listen(port: number, host: string, done: () => void): void
}
interface Express {
  (): ExpressApp
  json(options: object): unknown
}

export const startExpress: Start = async ({ indexFile, port }) => {
  process.env.NODE_ENV = 'production'
  const express = load<Express>('express')
  const { apiKey, findPayer } = plainPayers()
  const service = new PlainService(new SqliteStore(openIndex(indexFile)), findPayer)
  const app = express()
  for (const setting of ['etag', 'x-powered-by']) app.disable(setting)
  app.use(express.json({ limit: '1mb' }))
  for (const endpoint of ENDPOINTS) {
    app.post(PATHS[endpoint], (req, res) => {
      const { status, body } = service[endpoint](req.body)
      res.status(status).json(body)
    })
  }
  await new Promise<void>(done => app.listen(port, '127.0.0.1', done))
  return { apiKey }
}
