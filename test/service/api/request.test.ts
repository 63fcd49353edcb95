import t from 'tap'
import { ABSENT } from '../../../src/postal/text/json.ts'
import { Clients } from '../../../src/service/api/clients.ts'
import { ApiRequest } from '../../../src/service/api/request.ts'
import { startApp } from '../../support/app.ts'

/** Parts of the thread. The connection is set before each request. */
const KEPT = ['context', 'fields', 'query', 'output', 'connection']

t.test('no field of a request survives the next, which may be another account’s', async t => {
  const { context } = await startApp(t)
  const request = new ApiRequest(context, new Clients())
  const names = Object.keys(request).filter(name => !KEPT.includes(name))
  for (const name of names) Object.assign(request, { [name]: `another account’s ${name}` })
  request.output.length = 7
  request.fields.kinds.fill(ABSENT + 1)
  request.begin(0)
  const fresh: Readonly<Record<string, unknown>> = { ...new ApiRequest(context, new Clients()) }
  for (const name of names) t.same({ ...request }[name], fresh[name], name)
  t.equal(request.output.length, 0)
  t.ok(request.fields.kinds.every(kind => kind === ABSENT))
})
