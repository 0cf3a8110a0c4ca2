/** The lock of a data folder. */
import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { acquireDataLock } from '../../../src/service/admin/data-lock.ts';
import { temporaryFolder } from '../../support/folder.ts';

it('is readable only by its owner, also where an older version made it', async () => {
  const file = join(await temporaryFolder(), 'data', 'service.lock');
  const mode = () => statSync(file).mode & 0o777;
  const unlock = await acquireDataLock(join(file, '..'));
  expect(mode()).toBe(0o600);
  unlock();
  chmodSync(file, 0o644);
  (await acquireDataLock(join(file, '..')))();
  expect(mode()).toBe(0o600);
});
