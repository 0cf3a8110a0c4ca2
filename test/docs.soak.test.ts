/** The commands of the pages that need a browser, pings or an agent run. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cert, key } from './client/certificate.ts';
import { openSite, type Site } from './runners/browser/support.ts';
import { freePort } from './support/free-port.ts';
import { blocksOf, testGuide } from './support/guide.ts';
import { needs } from './support/needs.ts';

const PROJECT = {
  'e2e/playwright.config.ts': 'export default {};\n',
  'e2e/shop.spec.ts':
    "import { expect, test } from '@playwright/test';\ntest('has a token', () => expect(process.env.SHOP_TOKEN).toBe('hunter2'));\n",
};

describe('docs/write-checks.md', () => {
  const server = createServer(({ url }, response) =>
    response
      .writeHead(url === '/health' ? 200 : 404, { 'content-type': 'application/json' })
      .end('{"status":"ok"}'),
  );
  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => void server.close());
  const guide = testGuide('docs/write-checks.md', {
    change: (commands) =>
      commands.replace('127.0.0.1:8080', `127.0.0.1:${(server.address() as AddressInfo).port}`),
    files: { 'client.pem': cert, 'client.key': key },
    needs: [needs('ping', 'iputils-ping'), needs('curl')],
  });

  test('each check has a result', async () => {
    const { stdout, stderr } = await guide().shell.run(`
for name in Home Port Machine Health; do
  id=$(sonde checks list --search "$name" --json --jq '.[0].id')
  sonde checks results "$id" --json --jq '.[0] | [.name, .hasFailures, .hasErrors, (.responseTime > 0)] | @csv'
done`);
    expect(stdout, stderr).toBe(
      ['Home', 'Port', 'Machine', 'Health'].map((name) => `"${name}",false,false,true\n`).join(''),
    );
  });

  test('the ping is a result of the heartbeat', async () => {
    const { stdout, stderr } = await guide().shell.run(`
id=$(sonde checks list --tag jobs --json --jq '.[0].id')
sonde checks results "$id" --json --jq '.[] | [.hasFailures, .hasErrors] | @csv'`);
    expect(new Set(stdout.trim().split('\n')), stderr).toEqual(new Set(['false,false']));
  });
});

describe('docs/browser-checks.md', () => {
  const [script = ''] = blocksOf(readFileSync('docs/browser-checks.md', 'utf8'), 'ts');
  let site: Site;
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site.close());
  const guide = testGuide('docs/browser-checks.md', {
    env: async () => ({ SHOP_TOKEN: 'hunter2' }),
    files: { 'shop.spec.ts': script, ...PROJECT },
    change: (commands) => {
      const changed = commands.replace('http://127.0.0.1:8080', site.url);
      expect(changed).not.toBe(commands);
      return changed;
    },
  });

  test('the check visited the site, and the project passed', () => {
    expect(guide().ran.stdout).toMatch(/^PASSED\tShop\t/m);
    expect(site.seen).toContain('/');
  });
});

describe('docs/private-locations.md', () => {
  const guide = testGuide('docs/private-locations.md', {
    env: async () => ({ AGENT_HEALTH_PORT: String(await freePort()) }),
  });
  afterAll(() => guide().shell.run('kill $(cat agent.pid) 2>/dev/null || true'));

  test('the agent ended in order, and its log shows no key', async () => {
    const { run } = guide().shell;
    const { stdout } = await run(
      'while kill -0 $(cat agent.pid) 2>/dev/null; do sleep 0.1; done; cat agent.log',
    );
    expect(stdout).toContain('Serving the private location "cellar"');
    expect(stdout).toContain('Stopped. All results were sent');
    const { stdout: key } = await run('cat agent.key');
    expect(stdout).not.toContain(key.trim());
  });
});
