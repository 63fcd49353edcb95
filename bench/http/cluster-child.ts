/** One process of a clustered server. Its arguments are the server's name and its setup; `node:cluster` gives it its connections. */
import { startOf } from './start-of.ts'

const [name, setup] = process.argv.slice(2)

// A benchmark that failed must not leave its contenders running.
process.once('disconnect', () => process.exit())
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
const { apiKey } = await (await startOf(name))(JSON.parse(setup))
process.send?.({ apiKey })
