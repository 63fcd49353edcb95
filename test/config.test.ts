import { join, resolve } from 'node:path'
import t from 'tap'
import { readConfig } from '../src/platform/settings/config.ts'

t.test('settings have defaults', async t => {
  const config = readConfig({})
  t.match(config, { host: '127.0.0.1', port: 8080, controlPort: 8081, logLevel: 'info', publicUrl: null })
  t.equal(config.dataDir, resolve('data'))
  t.equal(config.indexFile, resolve('data/index.postrie'))
  t.equal(config.socketFile, resolve('data/control.sock'))
})

t.test('the index is in the data folder by default', async t => {
  t.equal(readConfig({ DATA_DIR: '/srv/p' }).indexFile, join('/srv/p', 'index.postrie'))
  t.equal(readConfig({ DATA_DIR: '/srv/p', INDEX_FILE: '/srv/world' }).indexFile, '/srv/world')
})

t.test('an empty variable counts as unset', async t => {
  t.match(readConfig({ PORT: '', LOG_LEVEL: ' ' }), { port: 8080, logLevel: 'info' })
})

t.test('port 0 is allowed on both planes', async t => {
  t.match(readConfig({ PORT: '0', CONTROL_PORT: '0' }), { port: 0, controlPort: 0 })
})

t.test('1 to 64 server threads are allowed, but one outside Linux', async t => {
  const { httpThreads } = readConfig({})
  t.ok(httpThreads >= 1 && httpThreads <= (process.platform === 'linux' ? 64 : 1), `${httpThreads} threads`)
  t.throws(
    () => readConfig({ HTTP_THREADS: '0' }),
    /HTTP_THREADS: found '0', expected a whole number from 1 to/,
  )
  t.throws(() => readConfig({ HTTP_THREADS: '65' }), /HTTP_THREADS/)
})

t.test('all wrong settings are reported at once, with found and expected values', async t => {
  const env = { PORT: '80x', FLUSH_MS: '0', BULK_WORKERS: '-1', LOG_LEVEL: 'loud', PUBLIC_URL: 'example.com' }
  for (const name of Object.keys(env))
    t.throws(() => readConfig(env), { name: 'EnvError', message: `${name}: found ` })
  t.throws(() => readConfig(env), { message: "PORT: found '80x', expected a whole number from 0 to 65535" })
  t.throws(() => readConfig(env), { message: "LOG_LEVEL: found 'loud', expected one of silent, fatal" })
})

t.test('two planes cannot share a port', async t => {
  t.throws(() => readConfig({ PORT: '9000', CONTROL_PORT: '9000' }), { message: 'CONTROL_PORT: found ' })
})
