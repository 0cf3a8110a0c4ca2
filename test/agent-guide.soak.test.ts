/** What the guide to the agent says to type does what it says. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testGuide } from './support/guide.ts';
import { freePort } from './support/http.ts';

const shell = testGuide('docs/agent.md', async () => ({
  ...{ AGENT_HEALTH_PORT: String(await freePort()), SHOP_TOKEN: 'hunter2' },
}));

beforeAll(() => {
  const project = join(shell().folder, 'e2e');
  mkdirSync(project);
  writeFileSync(join(project, 'playwright.config.ts'), 'export default {};\n');
  writeFileSync(
    join(project, 'shop.spec.ts'),
    "import { expect, test } from '@playwright/test';\ntest('has a token', () => expect(process.env.SHOP_TOKEN).toBe('hunter2'));\n",
  );
});

afterAll(() => shell().run('kill $(cat agent.pid) 2>/dev/null || true'));

test('the agent has ended in order, and its log shows no key', async () => {
  const { run } = shell();
  const { stdout } = await run(
    'while kill -0 $(cat agent.pid) 2>/dev/null; do sleep 0.1; done; cat agent.log',
  );
  expect(stdout).toContain('Serving the private location "cellar"');
  expect(stdout).toContain('Stopped: every result is handed in');
  const { stdout: key } = await run('cat agent.key');
  expect(stdout).not.toContain(key.trim());
});
