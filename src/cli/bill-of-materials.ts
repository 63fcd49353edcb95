/** A CycloneDX bill of materials: https://cyclonedx.org/docs/1.5/json/ */
import type { DataLicence, PackageLicence } from './licence-list.ts'

/** The document, ready for `JSON.stringify`. The same packages and data give the same document. @param packages with `self` among them */
export function billOfMaterials(
  self: string,
  packages: readonly PackageLicence[],
  data: readonly DataLicence[],
) {
  const components = packages.map(({ name, version, licence }) => ({
    type: name === self ? 'application' : 'library',
    'bom-ref': purl(name, version),
    name,
    version,
    purl: purl(name, version),
    licenses: [{ expression: licence }],
  }))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: components.find(({ name }) => name === self) },
    components: [
      ...components.filter(({ name }) => name !== self),
      ...data.map(({ source, licence, attribution }) => ({
        type: 'data',
        'bom-ref': `data:${source}`,
        name: source,
        licenses: [{ license: { name: licence } }],
        copyright: attribution,
      })),
    ],
  }
}

function purl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}
