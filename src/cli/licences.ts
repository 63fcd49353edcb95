/** `postrie licences`: every package that a service runs, and every source of its index, with their licences. */
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { readConfig } from '../settings/config.ts'
import { billOfMaterials } from './bill-of-materials.ts'
import { dataLicences, packageLicences } from './licence-list.ts'
import { example, JSON_OPTION, type JsonFlag } from './options.ts'
import { bold, print } from './output.ts'
import { table } from './table.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export function addLicencesCommand(program: Command): void {
  program
    .command('licences')
    .description('list the licences of the packages that the service runs, and of the data in the index')
    .addOption(JSON_OPTION)
    .option('--cyclonedx', 'as a CycloneDX 1.5 bill of materials')
    .addHelpText('after', example('postrie licences --cyclonedx > sbom.json'))
    .action(({ json, cyclonedx }: JsonFlag & { cyclonedx?: boolean }) => {
      const { indexFile } = readConfig(process.env)
      const packages = packageLicences(ROOT)
      const data = dataLicences(indexFile)
      if (cyclonedx === true) return print(true, billOfMaterials('postrie', packages, data ?? []), String)
      print(json, { packages, data }, () =>
        [
          bold('Packages'),
          table(['package', 'version', 'licence'], packages.map(Object.values)),
          '',
          bold('Data'),
          data === null
            ? `There is no index at ${indexFile} yet.`
            : table(['source', 'licence', 'attribution'], data.map(Object.values)),
        ].join('\n'),
      )
    })
}
