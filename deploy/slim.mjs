/**
 * Removes from node_modules what an installation that only serves does not need: binaries of other systems and other versions of
 * Node.js, and the packages that compile. For images and archives that are installed nowhere else.
 *
 * npm's `--omit=optional` cannot do the latter: it leaves out the binary of koffi as well, which npm would then compile.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const modules = join(root, 'node_modules')
const folder = join(modules, 'uWebSockets.js')
const { platform, arch, versions } = process
const own = `uws_${platform}_${arch}_${versions.modules}.node`
const binaries = readdirSync(folder).filter(name => name.endsWith('.node'))

if (binaries.includes(own)) {
  let bytes = 0
  for (const name of binaries.filter(name => name !== own)) {
    bytes += statSync(join(folder, name)).size
    rmSync(join(folder, name))
  }
  console.log(`Kept ${own}, removed ${Math.round(bytes / 1024 / 1024)} MB of others.`)
  const compilers = optionalOf(root).filter(name => existsSync(join(modules, name)))
  // Their own optional dependencies are their binaries for each system.
  for (const name of compilers.flatMap(name => [...optionalOf(join(modules, name)), name]))
    rmSync(join(modules, name), { recursive: true, force: true })
  if (compilers.length > 0) console.log(`Removed ${compilers.join(', ')}.`)
} else {
  console.error(
    `slim: ${folder} has no ${own}: Node.js ${versions.node} on ${platform} ${arch} is not supported. Nothing was removed.`,
  )
  process.exitCode = 1
}

/** Names of the optional dependencies of the package in a folder. */
function optionalOf(path) {
  const { optionalDependencies = {} } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
  return Object.keys(optionalDependencies)
}
