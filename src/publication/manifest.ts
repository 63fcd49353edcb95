/**
 * The manifest of a published index: a small JSON document that names the build to serve. The index itself stands next to it, in a
 * file that is named for its build and never changes, so that a fleet is rolled forward and back by the manifest alone.
 *
 *   https://data.example.com/postrie/index.json                              the manifest
 *   https://data.example.com/postrie/5d00e285e1e83379e01bfed27189c621.postrie
 */
import { type KeyObject, sign, verify } from 'node:crypto'
import { z } from 'zod'
import { INDEX_FILE_BYTES_MAX } from '../limits.ts'

export const MANIFEST_NAME = 'index.json'

const MANIFEST = z.object({
  /** Becomes part of a path. */
  build: z.string().regex(/^[0-9a-f]{32}$/),
  bytes: z.int().positive().max(INDEX_FILE_BYTES_MAX),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  codes: z.int().positive(),
  countries: z.int().positive(),
  /** Ed25519 over `signedText`, in base64. */
  signature: z.string().exactOptional(),
})
export type Manifest = z.infer<typeof MANIFEST>

export interface IndexSource {
  url: string
  /** Key that must have signed every manifest. Null: signatures are not asked for. */
  publicKey: KeyObject | null
}

export class PublicationError extends Error {
  override readonly name = 'PublicationError'
}

/** Returns `url` without its query, which often holds a token, for logs and messages. */
export function shownAddress(url: string): string {
  return url.replace(/\?[^#]*/, '?…')
}

export function indexFileName(build: string): string {
  return `${build}.postrie`
}

/** The manifest with a signature of `privateKey`. @throws PublicationError when that is not an Ed25519 key */
export function signed(manifest: Manifest, privateKey: KeyObject): Manifest {
  if (privateKey.asymmetricKeyType !== 'ed25519')
    throw new PublicationError(
      `the key is of the kind ${privateKey.asymmetricKeyType}, expected an Ed25519 private key; make one with \`openssl genpkey -algorithm ed25519\``,
    )
  return { ...manifest, signature: sign(null, signedText(manifest), privateKey).toString('base64') }
}

/** Reads a manifest and checks its signature, where the source asks for one. @throws PublicationError */
export function readManifest(text: string, { url, publicKey }: IndexSource): Manifest {
  const { data: manifest } = MANIFEST.safeParse(parsedJson(text))
  if (manifest === undefined)
    throw new PublicationError(
      `${shownAddress(url)} is not the manifest of an index: it needs build, bytes, sha256, codes and countries, as \`postrie publish\` writes them`,
    )
  if (publicKey !== null && !isSignedBy(manifest, publicKey))
    throw new PublicationError(
      `${shownAddress(url)} is not signed by the key in INDEX_PUBLIC_KEY: publish with --sign and the private key that belongs to it`,
    )
  return manifest
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isSignedBy(manifest: Manifest, publicKey: KeyObject): boolean {
  const { signature = '' } = manifest
  return verify(null, signedText(manifest), publicKey, Buffer.from(signature, 'base64'))
}

function signedText({ build, bytes, sha256 }: Manifest): Buffer {
  return Buffer.from(`postrie index\n${build}\n${bytes}\n${sha256}\n`)
}
