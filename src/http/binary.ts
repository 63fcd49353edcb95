/**
 * The native binary of uWebSockets.js is known by its hash. Its package is published by others than its authors, so that a
 * release with other contents must not start unseen.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Name of the package that the hashes are for. Upstream's own package is not checked: its publisher made the binary. */
const REPUBLISHED = 'uwebsockets'

/** SHA-256 of the binaries of version 3.0.6, by system, processor and ABI of Node.js 20, 22, 24 and 25. */
const HASHES: Readonly<Record<string, string>> = {
  'uws_linux_x64_115.node': 'f4fa5d7b697529b45ac8aa3d57385d9af51bc1d2b26aa9f5b68ca4361542e665',
  'uws_linux_x64_127.node': '78e38a9a163b1cf33ce539619e5908111dea95a12e7943d95fbcdd524879caa8',
  'uws_linux_x64_137.node': '3b549c14e01d9d1faf234cdf4b6f0fb08158605e3692cd0eb1b905e327bd3449',
  'uws_linux_x64_141.node': 'd22bae7642b872152cd0eeb682c6c2ffd186e91af8cf18cdf98be984a6549d49',
  'uws_linux_arm64_115.node': '034e0fcccdc08f90df3b130f421516311831b1352fe38eab91abc2984c2fdf3a',
  'uws_linux_arm64_127.node': 'a7d9bc3ec166421a49416d5ea4f49118ae68ea1dbf8a765c4f45a79b0b6adb13',
  'uws_linux_arm64_137.node': 'b6eb007d627e00bcce03ad38f197124e9027c03f6fe784b37f97b8a6ea709cb4',
  'uws_linux_arm64_141.node': '1317f2e69ea1924ee8dd94ed02a3e6beb08e55d8b06f18caeda3d67a02857aee',
  'uws_darwin_x64_115.node': '7552dc27e278be4a5f9ca4f571676e9046929ef8753b1bb63b84f78e1a752a11',
  'uws_darwin_x64_127.node': '1bcd63a9cd5cda811d899b80f9b1f7c9f29d128feafebe6976069ab1045a0335',
  'uws_darwin_x64_137.node': '7df6e0b2be43048200370a64ee91d6563879f5d3b0207f846dc81377ffc4e189',
  'uws_darwin_x64_141.node': 'f490b002468feebeeedba127e20594ec75138bb7c17e9f681a652fe5d408db7d',
  'uws_darwin_arm64_115.node': 'f6132ac4d0954ce32ed716d5b367270904c5885bc6e01dcc8ae5809a8967d504',
  'uws_darwin_arm64_127.node': '84ab0c487fbbb895afbfa24c7ac02db5922b2eb468b3a4663aaca52af29b420c',
  'uws_darwin_arm64_137.node': 'dd7623e7e600dcc1384c4a639ac05849f0c27125be8c431b702e0513e86613f0',
  'uws_darwin_arm64_141.node': 'a1c354c77958054d144a1cb1ab2b5f445e4c1454c98762eb52eef7a6cd95c0c5',
}

/** Whether the installed package is the one that the hashes are for, and not upstream's own. Reads its `package.json`. */
export function isRepublished(folder: string = installedFolder()): boolean {
  const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name: string }
  return name === REPUBLISHED
}

/**
 * Why the binary for this process must not be loaded, with the remedy, or null. Reads 4 to 12 MB: some 10 ms.
 * @param folder of the installed package
 */
export function whyNotPinned(folder: string = installedFolder()): string | null {
  if (!isRepublished(folder)) return null
  const { platform, arch, versions } = process
  const file = `uws_${platform}_${arch}_${versions.modules}.node`
  if (!existsSync(join(folder, file))) {
    return (
      `${folder} has no ${file}, which Node.js ${versions.node} needs on ${platform} ${arch}: deploy/slim.mjs keeps only the ` +
      'binary of the Node.js that it runs with. Install again with `npm ci`, with the Node.js that will run the service.'
    )
  }
  const found = createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex')
  const expected = HASHES[file] ?? 'none'
  if (found === expected) return null
  return (
    `${join(folder, file)} has the SHA-256 ${found}, expected ${expected}: it is not the HTTP server that this release was ` +
    'tested with. Install again with `npm ci`; after a deliberate change of version, update HASHES in src/http/binary.ts.'
  )
}

function installedFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('uWebSockets.js/package.json'))
}
