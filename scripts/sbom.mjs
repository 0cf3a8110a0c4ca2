/** Generates the software bill of materials: the packages that npm installs, and those in the bundles. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundledFolders } from './licences.mjs';

const DEVELOPMENT = 'cdx:npm:package:development';

/**
 * Returns a CycloneDX document from `npm sbom`. `inputs`: the files of the bundles, relative to the root. It includes bundled
 * packages, which npm counts as development dependencies, but no packages of tests and the build. Builds are reproducible.
 */
export async function sbomOf(root, inputs) {
  const { stdout } = await promisify(execFile)('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  const { serialNumber: _, ...sbom } = JSON.parse(stdout);
  const { timestamp: __, ...metadata } = sbom.metadata;
  const bundled = new Set(
    await Promise.all(
      bundledFolders(inputs).map(async (folder) => {
        const { name, version } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
        return `${name}@${version}`;
      }),
    ),
  );
  const isDevelopment = ({ properties = [] }) => properties.some(({ name }) => name === DEVELOPMENT);
  const components = sbom.components
    .filter((component) => bundled.has(component['bom-ref']) || !isDevelopment(component))
    .map((component) => ({
      ...component,
      // npm names an aliased package by its alias.
      name: component['bom-ref'].slice(0, component['bom-ref'].lastIndexOf('@')),
      properties: component.properties?.filter(({ name }) => name !== DEVELOPMENT),
    }));
  const refs = new Set([
    metadata.component['bom-ref'],
    ...components.map((component) => component['bom-ref']),
  ]);
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
  // npm uses the name of the folder.
  const component = { ...metadata.component, name: 'sonde' };
  return `${JSON.stringify({ ...sbom, metadata: { ...metadata, component }, components, dependencies }, null, 1)}\n`;
}
