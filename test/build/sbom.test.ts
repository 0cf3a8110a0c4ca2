/** The software bill of materials lists what the package holds and installs, and nothing else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Sbom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly name: string;
    readonly version: string;
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}
const sbom = JSON.parse(read('dist/sbom.cdx.json')) as Sbom;
const { version, dependencies } = JSON.parse(read('package.json')) as {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
};
const listed = new Set(sbom.components.map((component) => `${component.name} ${component.version}`));

it('is a CycloneDX document about this version', () => {
  expect(sbom.bomFormat).toBe('CycloneDX');
  expect(sbom.metadata.component).toMatchObject({ name: 'sonde', version });
});

it('lists each package that the bundles hold', () => {
  const bundled = [...read('dist/LICENSES.txt').matchAll(/^(\S+ \d+\.\d+\.\S+) \(/gm)].map(
    ([, name]) => name,
  );
  expect(bundled.length).toBeGreaterThan(20);
  expect(bundled.filter((name) => !listed.has(name ?? ''))).toEqual([]);
});

it('lists each package that npm installs with it', () => {
  const installed = Object.entries(dependencies).map(([name, exact]) => `${name} ${exact}`);
  expect(installed.filter((name) => !listed.has(name))).toEqual([]);
});

it('lists nothing that only tests and the build use', () => {
  const names = new Set(sbom.components.map(({ name }) => name));
  for (const name of ['vitest', 'typescript', 'esbuild', '@biomejs/biome']) expect(names).not.toContain(name);
});

it('names no component that it does not list', () => {
  const refs = new Set([`sonde@${version}`, ...sbom.components.map((component) => component['bom-ref'])]);
  const named = sbom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
  expect(named.filter((ref) => !refs.has(ref))).toEqual([]);
});
