import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { readConfig } from '../src/settings/config.ts'
import { EnvError } from '../src/settings/setting.ts'

t.test('defaults are as documented', async t => {
  const config = readConfig({})
  t.match(config, { host: '127.0.0.1', port: 8080, controlPort: 8081, logLevel: 'info', publicUrl: null })
  t.equal(config.dataDir, resolve('data'))
  t.equal(config.indexFile, resolve('data/index.postrie'))
  t.equal(config.socketFile, resolve('data/control.sock'))
})

t.test('the index follows the data folder unless it is named', async t => {
  t.equal(readConfig({ DATA_DIR: '/srv/p' }).indexFile, join('/srv/p', 'index.postrie'))
  t.equal(readConfig({ DATA_DIR: '/srv/p', INDEX_FILE: '/srv/world' }).indexFile, '/srv/world')
})

t.test('an empty variable counts as unset', async t => {
  t.equal(readConfig({ PORT: '', LOG_LEVEL: ' ' }).port, 8080)
})

t.test('port 0 is allowed for both planes', async t => {
  t.match(readConfig({ PORT: '0', CONTROL_PORT: '0' }), { port: 0, controlPort: 0 })
})

t.test('server threads leave a core to the ledger, and only Linux has several', async t => {
  const spared = Math.min(64, Math.max(1, availableParallelism() - 1))
  t.equal(readConfig({}).httpThreads, process.platform === 'linux' ? spared : 1)
  t.throws(
    () => readConfig({ HTTP_THREADS: '0' }),
    /HTTP_THREADS: found '0', expected a whole number from 1 to/,
  )
  t.throws(() => readConfig({ HTTP_THREADS: '65' }), /HTTP_THREADS/)
})

t.test('every wrong setting is reported at once, with what was found and expected', async t => {
  const env = { PORT: '80x', FLUSH_MS: '0', BULK_WORKERS: '-1', LOG_LEVEL: 'loud', PUBLIC_URL: 'example.com' }
  const error = thrown(() => readConfig(env))
  t.ok(error instanceof EnvError)
  t.same((error as EnvError).problems.map(problem => problem.name).sort(), Object.keys(env).sort())
  t.match((error as EnvError).message, "PORT: found '80x', expected a whole number from 0 to 65535")
  t.match((error as EnvError).message, "LOG_LEVEL: found 'loud', expected one of silent, fatal")
})

t.test('two planes cannot share a port', async t => {
  t.match(
    thrown(() => readConfig({ PORT: '9000', CONTROL_PORT: '9000' })),
    { problems: [{ name: 'CONTROL_PORT' }] },
  )
})

function thrown(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}
