/** What docs/browser-checks.md says to type does what it says. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSite } from '../runners/browser/support.ts';
import { shell } from '../support/binary.ts';
import { startE2eService } from '../support/e2e.ts';
import { temporaryFolder } from '../support/folder.ts';

it('makes a first check and runs it', async () => {
  const guide = readFileSync('docs/browser-checks.md', 'utf8');
  const [script = ''] = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code);
  const [commands = ''] = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code]) => code);
  const [site, service, cwd] = await Promise.all([openSite(), startE2eService(), temporaryFolder()]);
  onTestFinished(async () => {
    await service.close();
    await site.close();
  });
  writeFileSync(join(cwd, 'shop.spec.ts'), script);
  const here = commands.replace('http://127.0.0.1:8080', site.url);
  expect(here).not.toBe(commands);
  const { code, stdout, stderr } = await shell(here, { env: service.env, cwd });
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^PASSED\tShop\t/m);
  expect(site.seen).toContain('/');
});
