/** Kills a command (`--import`) before the n-th file operation below a folder. FAIL_INSTEAD makes that operation fail. */
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const { KILL_AT = '0', KILL_OPERATIONS = '', KILL_BELOW = '', FAIL_INSTEAD } = process.env
let operations = 0

type Operation = (path: unknown, ...rest: unknown[]) => Promise<unknown>
const table = promises as unknown as Record<string, Operation>

for (const name of KILL_OPERATIONS.split(',')) {
  const original = table[name] as Operation
  table[name] = async (path, ...rest) => {
    if (String(path).startsWith(KILL_BELOW) && ++operations === Number(KILL_AT)) {
      if (FAIL_INSTEAD !== undefined) {
        throw Object.assign(new Error(`${FAIL_INSTEAD}: ${name}`), { code: FAIL_INSTEAD })
      }
      process.kill(process.pid, 'SIGKILL')
      await new Promise(() => {})
    }
    return original(path, ...rest)
  }
}
syncBuiltinESMExports()
