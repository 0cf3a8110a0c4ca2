/** Engines that npm brings: what it sees of the environment, and how they are named. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ENGINE_PACKAGES } from '../../../src/runners/suite/engine-packages.ts';
import { createEngines } from '../../../src/runners/suite/engines.ts';
import { temporaryFolder } from '../../support/folder.ts';

const machine = `${process.platform}-${process.arch}` as keyof (typeof ENGINE_PACKAGES)['node-22'];
const pinned = ENGINE_PACKAGES['node-22'][machine];

it('npm, and what packages run by it, sees how it reaches them and no key of ours', async () => {
  const folder = await temporaryFolder();
  const programs = join(folder, 'bin');
  await mkdir(programs);
  // Writes down what it sees, and brings the program that was asked for.
  const npm = `#!/bin/sh
env > '${join(folder, 'seen')}'
echo "$*" > '${join(folder, 'words')}'
cp "$3/package-lock.json" '${folder}'
mkdir -p "$3/node_modules/${pinned.name}/bin" && echo > "$3/node_modules/${pinned.name}/bin/node"
`;
  await writeFile(join(programs, 'npm'), npm);
  await chmod(join(programs, 'npm'), 0o755);
  const env = {
    ...{ PATH: `${programs}:/usr/bin:/bin`, HOME: folder, HTTPS_PROXY: 'http://proxy.test:1' },
    ...{ npm_config_registry: 'https://registry.test', API_KEY: 'pl_secret' },
    ...{ SONDE_DATABASE_URL: 'postgres://kim:secret@db.test', SONDE_SMTP_PASSWORD: 'secret' },
  };
  const found = createEngines({ folder, execPath: process.execPath, env });
  const { name, program } = await found.find({ engine: 'node', engineVersion: '22.1' });
  expect(name).toBe('node-22');
  expect(program).toBe(join(folder, `node-${pinned.version}/node_modules/${pinned.name}/bin/node`));
  expect(await readFile(join(folder, 'words'), 'utf8')).toMatch(/^ci .*--ignore-scripts/);
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  expect(lock.packages[`node_modules/${pinned.name}`]).toEqual({
    ...{ version: pinned.version, integrity: pinned.integrity },
  });
  const seen = await readFile(join(folder, 'seen'), 'utf8');
  expect(seen).toContain('HTTPS_PROXY=http://proxy.test:1');
  expect(seen).toContain('npm_config_registry=https://registry.test');
  expect(seen).not.toContain('secret');
});

it('a suite that asks for none runs on the Node that runs sonde, and says which', async () => {
  const folder = await temporaryFolder();
  const { find } = createEngines({ folder, execPath: process.execPath, env: {} });
  expect(await find({})).toEqual({
    ...{ kind: 'node', program: process.execPath, name: `node-${process.versions.node}` },
  });
});
