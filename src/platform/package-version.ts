import { readFileSync } from 'node:fs'

/** Returns the version of the package. `deploy/bundle.mjs` keeps this address of `package.json` right in bundles. */
export function packageVersion(): string {
  const file = new URL('../../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
