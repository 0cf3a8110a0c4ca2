/** Every example of every command, as help and docs/commands.md show it, is understood when it is typed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandFiles, loadCommands } from '../scripts/manifest.mjs';
import { startLoopbackNameServer } from '../src/runners/dns/loopback-server.ts';
import { openShell, type Shell } from './support/shell.ts';

const { commands } = await loadCommands(await commandFiles());

/** Run elsewhere: they last until they are told to stop, or have tests of their own. */
const ELSEWHERE = ['quickstart', 'agent start'];
const LASTS = ['service start'];
/** A pipe refuses with 2 what needs a person; and nothing on stdin is nothing to do. */
const REFUSED =
  /--yes|terminal|nobody can be asked|stdin held none|stdin is empty|stdin:1 is empty|there is no (?:service in|backup)/;
/** What has UUIDs; other ids are numbers. */
const HAS_UUIDS = /\b(?:check|incident|service)s?\b/;
const UUIDS = '0b2c4c1e-7a35-4b1e-9a51-3f1f5a2f7a01\n0b2c4c1e-7a35-4b1e-9a51-3f1f5a2f7a02\n';

const FILES: Readonly<Record<string, string>> = {
  'check.yaml': 'name: From a file\nrequest:\n  query: example.com\n',
  'check.json': '{"name": "x", "request": {"query": "example.com"}, "heartbeat": {}, "script": ""}',
  'checkout.spec.js': "console.log('checkout')\n",
  'page.yaml': 'name: Status\nurl: status\ncards: []\n',
  'group.yaml': 'name: Shop\n',
  'ids.txt': '1201\n1202\n',
  'e2e/playwright.config.ts': 'export default {};\n',
  'key.txt': 'sk_example\n',
  'order.spec.js': '// orders\n',
  'password.txt': 'hunter2\n',
  'playwright.config.ts': 'export default {};\n',
  'shop.env': 'TOKEN=sk_example\n',
  'sign-in.js': '// signs in\n',
  'url.txt': 'https://shop.example.com\n',
};

let shell: Shell;
let nameServer: Awaited<ReturnType<typeof startLoopbackNameServer>>;
beforeAll(async () => {
  nameServer = await startLoopbackNameServer({
    records: { 'example.com': [{ type: 'A', data: '192.0.2.1' }] },
  });
  shell = openShell({
    SONDE_RESOLVERS: `${nameServer.address}:${nameServer.port}`,
    ...{ SHOP_PASSWORD: 'hunter2', SHOP_TOKEN: 'hunter2', USER: 'ada' },
    // An example's suite runs on Bun, which no network brings here: npm is to say so at once.
    ...{ npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' },
  });
  const { code, stderr } = await shell.run(`
    sonde service start --detach
    sonde checks create-dns --name Seen --query example.com --tags smoke,checkout
    url=$(sonde service status --jq .url)
    echo sk_example | sonde login --base-url "$url" --profile staging --no-verify
    sonde profiles use local`);
  expect(code, stderr).toBe(0);
});
afterAll(async () => {
  await shell.run('sonde service stop --data monitoring');
  await shell.close();
  await nameServer.close();
});

test('every command has an example', () => {
  expect(commands.filter(({ examples }) => examples.length === 0).map(({ name }) => name)).toEqual([]);
});

const shown = commands
  .filter(({ name }) => !ELSEWHERE.includes(name))
  .map(
    ({ name, examples }) =>
      [name, examples.map(({ line }) => line).filter((line) => !LASTS.includes(line))] as const,
  );

describe('examples', () => {
  test.each(shown)('%s', async (name, lines) => {
    for (const line of lines) {
      // A file that an example wrote must not decide what the next one does.
      for (const [file, text] of Object.entries(FILES)) {
        mkdirSync(dirname(join(shell.folder, file)), { recursive: true });
        writeFileSync(join(shell.folder, file), text);
      }
      if (name === 'checks create-browser')
        writeFileSync(join(shell.folder, 'check.yaml'), 'name: From a file\n');
      if (HAS_UUIDS.test(name)) writeFileSync(join(shell.folder, 'ids.txt'), UUIDS);
      const typed = `sonde ${line.replaceAll('<id>', '9f3c1a7e')}`;
      // Profiles are changed by some examples: each has a home with the service's own.
      const script = `home=$(mktemp -d); trap 'rm -rf "$home"' EXIT; cp -r "$HOME/.config" "$home/"; HOME=$home; ${typed}`;
      const { code, stdout, stderr } = await shell.run(script, { SONDE_RETRY_BUDGET: '0s' });
      const told = `${typed}\n${stdout}${stderr}`;
      if (code === 2) expect(stderr, told).toMatch(REFUSED);
      expect([70, 74, 126, 127, null], told).not.toContain(code);
    }
  });
});
