/**
 * Removes from node_modules the binaries of other systems and other versions of Node.js. For images and archives that are
 * installed nowhere else, after `npm ci --omit=dev --workspaces=false`.
 */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../node_modules/uWebSockets.js')
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
} else {
  console.error(
    `slim: ${folder} has no ${own}: Node.js ${versions.node} on ${platform} ${arch} is not supported. Nothing was removed.`,
  )
  process.exitCode = 1
}
