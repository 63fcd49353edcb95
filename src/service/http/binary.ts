/** The binary of uWebSockets.js: loads it early in a start, or explains the remedy. */
import { createRequire } from 'node:module'
import { dirname } from 'node:path'

const UPSTREAM = 'github:uNetworking/uWebSockets.js#v20.69.0'
const require = createRequire(import.meta.url)

/** Name and version of the package as it was installed, and the SHA-256 of the file that was loaded. */
export interface LoadedBinary {
  package: string
  version: string
  file: string
  sha256: string
}

/** Returns the binary that every request passes. @throws Error if none loads */
export async function loadedBinary(): Promise<LoadedBinary> {
  require('uWebSockets.js')
  const folder = dirname(require.resolve('uWebSockets.js'))
  const file = Object.keys(require.cache).find(path => dirname(path) === folder && path.endsWith('.node'))
  if (file === undefined) throw new Error(`no binary of ${folder} is loaded`)
  // Loaded late: a start calls `whyUnsupported` before all else.
  const { measureFile } = await import('../../postal/publication/publish.ts')
  const { name, version } = require('uWebSockets.js/package.json') as { name: string; version: string }
  return { package: name, version, file, sha256: (await measureFile(file)).sha256 }
}

/** Warning for the log: the binary for Node.js 20 has an old HTTP parser. Null with a newer one. */
export const OLD_PARSER: string | null =
  process.versions.modules === '115'
    ? 'the HTTP parser for Node.js 20 answers 505 to HTTP/1.0, absolute targets, trailers, and a first line in two ' +
      'packets, and nothing to more than 98 headers or to chunk extensions: use Node.js 24, or a proxy'
    : null

const NEWER_GLIBC =
  'The glibc of this system is older: use Debian 13 or Ubuntu 24.04, or Node.js 20 behind a proxy, because its HTTP parser is old'
const OTHER_PACKAGE =
  "Of these, Node.js 24 is supported longest. Upstream's package has those for 22, 24 and 26: " +
  `put "overrides": { "uWebSockets.js": "${UPSTREAM}" } into your package.json and ` +
  `run \`npm install\`; in a checkout of postrie, run \`npm install uWebSockets.js@${UPSTREAM}\``

/** Returns why the HTTP server cannot run here, with the remedy; null if its binary loads. */
export function whyUnsupported(load: () => unknown = () => require('uWebSockets.js')): string | null {
  try {
    load()
    return null
  } catch (error) {
    const lines = (error as Error).message.split('\n').filter(line => /^(?!Require stack:|- )./.test(line))
    const cause = lines.at(-1)
    const { version, platform, arch, versions } = process
    // Upstream's binaries need the same glibc.
    const remedy = /GLIBC/.test(cause ?? '') ? NEWER_GLIBC : OTHER_PACKAGE
    return (
      `the HTTP server has no binary that loads on Node.js ${version} (${platform} ${arch}, ABI ${versions.modules}): ${cause}. ` +
      'The installed package has binaries for Linux: for Node.js 20, and for 22, 24 and 25 with glibc 2.38 or later (Debian 13, Ubuntu 24.04). ' +
      remedy
    )
  }
}
