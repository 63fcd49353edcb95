/** `postrie publish`: writes the index and its manifest for servers that set INDEX_URL. */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { reservedBytes } from '../../billing/ledger/reserved-space.ts'
import { UsageError } from '../../platform/exit.ts'
import { readConfig } from '../../platform/settings/config.ts'
import { publishIndex } from '../../postal/publication/publish.ts'
import { addCommand, type JsonFlag, print } from './add-command.ts'

const HELP = `
The folder then holds the index, named after its build, and its manifest index.json. Serve the folder with any web server, or
copy it to an object store, index.json last. Older builds stay: publish one again to roll a fleet back.

A key pair: openssl genpkey -algorithm ed25519 -out private.pem && openssl pkey -in private.pem -pubout -out public.pem
`
const EXAMPLES = `postrie publish /srv/www/postrie --sign private.pem
  $ INDEX_URL=https://data.example.com/postrie/index.json INDEX_PUBLIC_KEY=public.pem postrie serve`

export function addCommands(program: Command): void {
  addCommand(program, 'publish', {
    summary:
      'verify the index of INDEX_FILE and write it with a manifest into a folder, for servers to fetch',
    example: EXAMPLES,
    help: HELP,
  })
    .argument('<folder>', 'created if it is missing')
    .option('--sign <file>', 'Ed25519 private key in PEM that signs the manifest')
    .action(async (folder: string, { json, sign }: JsonFlag & { sign?: string }) => {
      const { indexFile, dataDir } = readConfig(process.env)
      const privateKey = sign === undefined ? null : await keyIn(sign)
      const manifest = await publishIndex(indexFile, folder, privateKey, await reservedBytes(dataDir, folder))
      print(json, manifest, ({ build, codes, bytes, signature }) => {
        const size = `${codes.toLocaleString('en')} codes, ${bytes.toLocaleString('en')} bytes`
        return `Published build ${build} with ${size}, ${signature ? 'signed' : 'not signed'}, in ${folder}.`
      })
    })
}

async function keyIn(file: string): Promise<KeyObject> {
  const pem = await readFile(file, 'utf8')
  try {
    return createPrivateKey(pem)
  } catch {
    throw new UsageError(
      `--sign ${file}: not a private key in PEM; make one with \`openssl genpkey -algorithm ed25519\``,
    )
  }
}
