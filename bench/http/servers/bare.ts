/**
 * The limit: a uWebSockets.js handler that reads the body and answers with a constant of the size and with the headers that
 * postrie answers with. It checks nothing and finds nothing.
 */
import uws from 'uWebSockets.js'
import { type EndpointName, PATHS, type Start } from '../setup.ts'
import { listen } from './uws-listen.ts'

const CONTENT_TYPE = Buffer.from('Content-Type')
const JSON_TYPE = Buffer.from('application/json')

export const startBare: Start = async ({ port, answerBytes = {} }) => {
  const app = uws.App()
  for (const [endpoint, path] of Object.entries(PATHS)) {
    const constant = Buffer.alloc(answerBytes[endpoint as EndpointName] ?? 400, 'x')
    app.post(path, res => {
      res.onAborted(() => {})
      res.onData((_chunk, isLast) => {
        if (isLast) res.writeHeader(CONTENT_TYPE, JSON_TYPE).end(constant)
      })
    })
  }
  await listen(app, port)
  return { apiKey: 'none' }
}
