/** The profiles that `sonde service start` saves: one for each service, under a name that stays, and none that nobody can use. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useHome } from './saved-profiles.ts';

const { shell, saved, during } = useHome();

test('a service whose data was removed has its profile again, with a key that opens it', async () => {
  await during('');
  const before = saved();
  rmSync(join(shell().home, '.local/share/sonde'), { recursive: true });
  const { stderr } = await during('', 'sonde whoami');
  expect(stderr).toMatch(/^Profile "local" is for this service\.$/m);
  const { current, profiles } = saved();
  expect([current, Object.keys(profiles)]).toEqual(['local', ['local']]);
  expect(profiles.local?.accountId).not.toBe(before.profiles.local?.accountId);
  expect(readFileSync(join(shell().home, '.local/share/sonde/service.log'), 'utf8')).toContain(
    'Updated profile "local" to this service with a new key: the data of its previous service no longer exists.',
  );
});
