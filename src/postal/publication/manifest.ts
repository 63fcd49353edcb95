/**
 * Manifest of a published index: a small JSON document that names the build to serve. The index is beside it,
 * in a file named by its build, which never changes. So the manifest alone rolls a fleet forward and back.
 *
 *   https://data.example.com/postrie/index.json                              the manifest
 *   https://data.example.com/postrie/5d00e285e1e83379e01bfed27189c621.postrie
 */
import { type KeyObject, sign, verify } from 'node:crypto'
import * as z from 'zod'
import { shownAddress } from '../../platform/download.ts'
import { parsedObject } from '../text/json.ts'

const INDEX_FILE_BYTES_MAX = 2 * 1024 ** 3

export const MANIFEST_NAME = 'index.json'

const MANIFEST = z.object({
  /** Build, which becomes part of a path. */
  build: z.string().regex(/^[0-9a-f]{32}$/),
  bytes: z.int().positive().max(INDEX_FILE_BYTES_MAX),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  codes: z.int().positive(),
  countries: z.int().positive(),
  /** Ed25519 signature of `signedText`, in base64. */
  signature: z.string().exactOptional(),
})
export type Manifest = z.infer<typeof MANIFEST>

export interface Publication {
  url: string
  /** Key that signs every manifest; null if no signature is needed. */
  publicKey: KeyObject | null
}

export class PublicationError extends Error {
  override readonly name = 'PublicationError'
}

export function indexFileName(build: string): string {
  return `${build}.postrie`
}

/** Signs a manifest. @throws PublicationError unless `privateKey` is an Ed25519 key */
export function signManifest(manifest: Manifest, privateKey: KeyObject): Manifest {
  if (privateKey.asymmetricKeyType !== 'ed25519')
    throw new PublicationError(
      `the key is of the kind ${privateKey.asymmetricKeyType}, expected an Ed25519 private key. Make one with \`openssl genpkey -algorithm ed25519\``,
    )
  return { ...manifest, signature: sign(null, signedText(manifest), privateKey).toString('base64') }
}

/** Reads a manifest and checks its signature if the source needs one. @throws PublicationError */
export function readManifest(bytes: Uint8Array, { url, publicKey }: Publication): Manifest {
  const { data: manifest } = MANIFEST.safeParse(parsedObject(bytes))
  if (manifest === undefined)
    throw new PublicationError(
      `${shownAddress(url)} is not the manifest of an index: it needs build, bytes, sha256, codes and countries, as \`postrie publish\` writes them`,
    )
  if (publicKey !== null && !isSignedBy(manifest, publicKey))
    throw new PublicationError(
      `${shownAddress(url)} is not signed by the key in INDEX_PUBLIC_KEY. Publish with --sign and the private key that belongs to it`,
    )
  return manifest
}

function isSignedBy(manifest: Manifest, publicKey: KeyObject): boolean {
  const { signature = '' } = manifest
  return verify(null, signedText(manifest), publicKey, Buffer.from(signature, 'base64'))
}

function signedText({ build, bytes, sha256 }: Manifest): Buffer {
  return Buffer.from(`postrie index\n${build}\n${bytes}\n${sha256}\n`)
}
