/** Programs in a cell run on the Node of the service, also if that is installed outside of the system's folders. */
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownFolder, SELF, sandboxFor, told } from './support.ts';

const level = process.getuid?.() === 0 ? 'uid' : 'namespace';

it('is there without being named', async () => {
  const folder = ownFolder();
  chmodSync(folder, 0o755);
  const execPath = join(folder, 'node');
  copyFileSync(process.execPath, execPath);
  const sandbox = await sandboxFor({ level, self: { ...SELF, execPath } });
  const cell = await sandbox.open();
  const program = cell.spawn([execPath, '-p', 'process.execPath'], { stdio: ['ignore', 'pipe', 'pipe'] });
  expect(await told(program)).toMatchObject({ out: `${execPath}\n`, err: '', code: 0 });
});
