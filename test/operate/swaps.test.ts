/** New indexes under load: every request is answered while the server takes over one file after another. */
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bundleInto } from '../support/bundled.ts'
import { code, country, place } from '../support/countries.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { postrieJson, startServer } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { Load } from './load.ts'

const SWAPS = Number(process.env.SWAPS ?? 5)

const TIMEOUT_MS = 30_000 + SWAPS * 5_000

t.test('requests are answered while the index is replaced', { timeout: TIMEOUT_MS }, async t => {
  const dir = t.testdir()
  const next = join(dir, 'next')
  mkdirSync(next)
  const make = (swap: number) =>
    writeIndex(next, [country('US', [code('90210', [place(`Place ${swap}`)])], { padTo: 5 })])
  renameSync(make(0), join(dir, 'index.postrie'))
  const server = await startServer(dir, {}, bundleInto(join(dir, 'bundle')))
  t.teardown(() => server.child.kill('SIGKILL'))
  await postrieJson(dir, ['account', 'credit', 'demo', '1000', '--reference', 'swaps'])
  const load = new Load(server.api, server.key)
  const replaced = () => server.output.stderr.split('"index replaced"').length - 1
  for (let swap = 1; swap <= SWAPS; swap++) {
    await load.more()
    renameSync(make(swap), join(dir, 'index.postrie'))
    server.child.kill('SIGHUP')
    await until(() => replaced() === swap)
  }
  await load.more()
  await load.stop()
  t.same(load.failed, [])
  t.ok(load.answered >= SWAPS * 50)
  t.equal(await server.stop(), 0)
  t.comment(`${SWAPS} swaps: ${load.answered} answers, ${Math.round(load.longestMs)} ms at most between two`)
})
