/**
 * Bundles what `tsc` has written to dist/src into dist/bundle, which is what users run. A start of some 300 small modules spends most
 * of its time on finding and linking them: `npm run bench -- start`.
 *
 *   dist/bundle/cli.js             the command `postrie`
 *   dist/bundle/server-thread.js   a server thread; likewise the other THREADS
 *   dist/bundle/<name>-<hash>.js   what one of them imports late
 *
 * Packages stay outside, except zod, which is a hundred modules with the texts of sixty languages. The maps lead to the sources:
 * NODE_OPTIONS=--enable-source-maps has stack traces name them.
 *
 *   node deploy/bundle.mjs [folder]     into another folder of the checkout, which holds nothing else
 */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Threads that are bundled, and the modules that start them: these mean a file of the bundle by their own address. */
const THREADS = [
  'service/http/threads/server-thread.js',
  'service/workers/worker.js',
  'billing/ledger/snapshot/snapshot-worker.js',
  'programs/pipeline/index-worker.js',
]
const STARTS_BUNDLED = /\/(threads\/launch|workers\/workers|snapshot\/snapshots|pipeline\/check-index)\.js$/

/**
 * @param folder where the bundle goes, within the checkout `root`; nothing else may be in it
 * @returns the exit code. Without the bundler (`--omit=dev`), a bundle that is there stays.
 */
export async function bundle(root, folder = join(root, 'dist/bundle')) {
  const esbuild = await import('esbuild').catch(() => undefined)
  if (esbuild === undefined) {
    if (existsSync(join(folder, 'cli.js'))) return 0
    console.error('postrie: the package esbuild is not installed. Install without --omit=dev.')
    return 1
  }
  const options = {
    bundle: true,
    // Without it, what is imported late would load its packages at the start.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: 'linked',
    sourcesContent: false,
    outdir: folder,
    metafile: true,
    logLevel: 'warning',
    // A path is no package, so it is bundled.
    alias: { zod: join(root, 'node_modules/zod/index.js') },
    plugins: [{ name: 'own addresses', setup: build => keepAddresses(build, folder) }],
  }
  const source = name => join(root, 'dist/src', name)
  const built = await Promise.all(
    ['cli.js', ...THREADS].map(name =>
      esbuild.build({ ...options, entryPoints: { [basename(name, '.js')]: source(name) } }),
    ),
  )
  removeOthers(folder, built.flatMap(({ metafile }) => Object.keys(metafile.outputs)))
  // In a checkout that has been upgraded, npx remembers this file as the command, and runs it as a program.
  chmodSync(source('cli.js'), 0o755)
  return 0
}

/** A module finds workers, SQL and package.json from its own address: in the bundle, that of the module it was made from. */
function keepAddresses(build, folder) {
  build.onLoad({ filter: /\/dist\/src\/.*\.js$/ }, ({ path }) => {
    const text = readFileSync(path, 'utf8')
    const address = `new URL(${JSON.stringify(relative(folder, path))}, import.meta.url).href`
    const contents = STARTS_BUNDLED.test(path) ? text : text.replaceAll('import.meta.url', address)
    return { contents, resolveDir: dirname(path) }
  })
}

/** Chunks of earlier versions. A server that runs meanwhile has loaded all of its own. */
function removeOthers(folder, outputs) {
  const names = new Set(outputs.map(path => relative(folder, path)))
  for (const name of readdirSync(folder)) if (!names.has(name)) rmSync(join(folder, name))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv
  process.exitCode = await bundle(join(import.meta.dirname, '..'), folder && resolve(folder))
}
