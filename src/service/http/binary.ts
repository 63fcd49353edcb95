/** Loads the binary of uWebSockets.js early in a start, or explains the remedy. */
import { createRequire } from 'node:module'

const UPSTREAM = 'github:uNetworking/uWebSockets.js#v20.69.0'

/** Returns the reason why the HTTP server cannot run on this machine, with the remedy; null if its binary loads. Takes some 4 ms. */
export function whyUnsupported(
  load: () => unknown = () => createRequire(import.meta.url)('uWebSockets.js'),
): string | null {
  try {
    load()
    return null
  } catch (error) {
    const lines = (error as Error).message.split('\n').filter(line => /^(?!Require stack:|- )./.test(line))
    const cause = lines.at(-1)
    const { version, platform, arch, versions } = process
    return (
      `the HTTP server has no binary that loads on Node.js ${version} (${platform} ${arch}, ABI ${versions.modules}): ${cause}. ` +
      'The installed package has binaries for Linux: for Node.js 20, and for 22, 24 and 25 with glibc 2.38 or later (Debian 13, Ubuntu 24.04). ' +
      "Of these, Node.js 24 is supported longest. Upstream's package has those for 22, 24 and 26: " +
      `put "overrides": { "uWebSockets.js": "${UPSTREAM}" } into your package.json and ` +
      `run \`npm install\`; in a checkout of postrie, run \`npm install uWebSockets.js@${UPSTREAM}\``
    )
  }
}
