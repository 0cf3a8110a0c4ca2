/** Writes the project from which npm installs the packages that scripts of checks can import, with the lock of this repository. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleScriptPackages } from './bundle-script-packages.mjs';

/** Returns the locked packages that the names need, by path, as npm resolves them. */
function closureOf(locked, names) {
  const found = {};
  const resolve = (name, from) => {
    for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
      const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
      if (locked[path]) return path;
      if (at === '') return undefined;
    }
  };
  const visit = (name, from) => {
    const path = resolve(name, from);
    if (path === undefined || found[path]) return;
    const {
      name: aliased,
      version,
      integrity,
      dependencies,
      optionalDependencies,
      os,
      cpu,
      optional,
    } = locked[path];
    found[path] = {
      name: aliased,
      version,
      integrity,
      dependencies,
      optionalDependencies,
      os,
      cpu,
      optional,
    };
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) visit(next, path);
  };
  for (const name of names) visit(name, '');
  return found;
}

/** Returns the files of `dist/packages`, which are no part of the package of sonde, and of `dist/script-packages`, which replace them there. */
export async function scriptPackages(root) {
  const read = async (path) => JSON.parse(await readFile(join(root, path), 'utf8'));
  const versions = await read('src/contract/script-packages.json');
  const { devDependencies } = await read('package.json');
  for (const [name, version] of Object.entries(versions))
    if (devDependencies[name] !== version)
      throw new Error(
        `src/contract/script-packages.json has ${name} ${version}, package.json ${devDependencies[name]}`,
      );
  const { packages } = await read('package-lock.json');
  const project = { private: true, dependencies: { ...versions, esbuild: devDependencies.esbuild } };
  const closure = closureOf(packages, Object.keys(project.dependencies));
  const lock = { lockfileVersion: 3, packages: { '': project, ...closure } };
  return new Map([
    ...(await bundleScriptPackages(root, versions)),
    ['script-packages/versions.json', Buffer.from(JSON.stringify(versions))],
    ['script-packages/package.json', Buffer.from(JSON.stringify(project))],
    ['script-packages/package-lock.json', Buffer.from(JSON.stringify(lock))],
    ['script-packages/bundle.mjs', await readFile(join(root, 'scripts/bundle-script-packages.mjs'))],
  ]);
}
