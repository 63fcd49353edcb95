/** A control plane that cannot start leaves nothing open. */
import { readdirSync, readlinkSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import t from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import { startControlPlane } from '../../src/control/control-plane.ts'
import type { DataPlane } from '../../src/data-plane.ts'
import { createLog } from '../../src/platform/log.ts'
import { readConfig } from '../../src/settings/config.ts'

const linux = process.platform === 'linux'

/** Paths of open files below `dir`. */
function openFiles(dir: string): string[] {
  const links = readdirSync('/proc/self/fd').map(fd => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return ''
    }
  })
  return links.filter(link => link.startsWith(`${dir}/audit/`))
}

t.test('a taken port leaves no file of the audit log open', { skip: !linux && 'needs /proc' }, async t => {
  const taken = createServer()
  await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
  t.teardown(() => taken.close())
  const dir = t.testdir()
  const accounts = await Accounts.open({ dir })
  t.teardown(() => accounts.close())
  const dataPlane: DataPlane = { port: 1, metrics: () => [], index: () => null, close: async () => {} }
  const start = (port: number) => {
    const config = readConfig({ DATA_DIR: dir, CONTROL_PORT: String(port), LOG_LEVEL: 'silent' })
    return startControlPlane({ config, accounts, dataPlane, log: createLog('silent') })
  }
  await t.rejects(start((taken.address() as AddressInfo).port), { code: 'EADDRINUSE' })
  t.same(openFiles(dir), [])
  const plane = await start(0)
  t.equal(openFiles(dir).length, 1)
  await plane.close()
  t.same(openFiles(dir), [])
})
