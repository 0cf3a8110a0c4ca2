/** What the guide to a service of one's own says is true. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testGuide } from './support/guide.ts';

const shell = testGuide('docs/service.md');

test('the key is revoked, the backup is the owner’s alone, and the file names what was restored', async () => {
  const { folder, run } = shell();
  expect(statSync(join(folder, 'monitoring.backup')).mode & 0o777).toBe(0o600);
  expect((await run('sonde service keys --json')).stdout).not.toContain('deploy');
  expect((await run('grep -c "name: Apex" shop.yaml')).stdout).toBe('1\n');
});
