/** What a program is to read within a folder that is hidden from it: runtimes and engines lie in the service's own. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownFolder, sandboxFor, told } from './support.ts';

const isRoot = process.getuid?.() === 0;

it.skipIf(!isRoot)('is there, and nothing beside it, whether or not what is above it is shown', async () => {
  const folder = ownFolder();
  chmodSync(folder, 0o755);
  const [data, engines] = [join(folder, 'data'), join(folder, 'data/engines')];
  mkdirSync(engines, { recursive: true });
  writeFileSync(join(engines, 'node'), 'an engine');
  writeFileSync(join(data, 'service.db'), 'a secret');
  for (const more of [[], [folder]]) {
    const sandbox = await sandboxFor({ level: 'uid', hidden: [data], readable: [engines, ...more] });
    expect(sandbox.describe().caution).toBeUndefined();
    const cell = await sandbox.open();
    const script = 'cat "$0/engines/node"; ls "$0"; cat "$0/service.db"';
    const { out, err } = await told(cell.spawn(['/bin/sh', '-c', script, data]));
    await cell.close();
    expect(out).toBe('an engineengines\n');
    expect(err).toContain('service.db');
  }
});

it.skipIf(!isRoot).each(['two words', 'back\\slash', "it's #1"])('is there by the name %s', async (name) => {
  const folder = join(ownFolder(), name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'node'), 'an engine');
  const sandbox = await sandboxFor({ level: 'uid', readable: [folder] });
  const cell = await sandbox.open();
  const { out, err } = await told(cell.spawn(['/bin/cat', join(folder, 'node')]));
  await cell.close();
  expect({ out, err }).toEqual({ out: 'an engine', err: '' });
});
