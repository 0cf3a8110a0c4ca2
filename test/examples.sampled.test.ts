/** Every example of every command, as help and docs/commands.md show it, is understood when it is typed. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandFiles, loadCommands } from '../scripts/manifest.mjs';
import { startLoopbackNameServer } from '../src/runners/dns/loopback-server.ts';
import { cert, key } from './client/certificate.ts';
import { bareEnv, type Ran } from './support/binary.ts';
import { sondeInProcess } from './support/in-process.ts';
import { needs } from './support/needs.ts';
import { sampleOf } from './support/sampled.ts';
import { openShell, type Shell } from './support/shell.ts';

const { commands } = await loadCommands(await commandFiles());

/** Run elsewhere: they last until they are told to stop, or have tests of their own. */
const ELSEWHERE = [
  ...['quickstart', 'agent start', 'browser install'],
  ...['import blackbox', 'import checkly', 'import gatus', 'import uptime-kuma'],
];
const isLasting = (line: string): boolean => line === 'service start' || line.includes('--watch');
/** A pipe refuses with 2 what needs a person; and nothing on stdin is nothing to do. */
const REFUSED =
  /--yes|terminal|stdin was empty|stdin is empty|stdin:1: is empty|no service in|plan\.json: does not exist|backup \S+ not found|required (?:flag: --base-url|argument: <profile>)/;
/** What has UUIDs; other ids are numbers. */
const HAS_UUIDS = /\b(?:certificate|check|incident|service)s?\b/;
const UUIDS = '0b2c4c1e-7a35-4b1e-9a51-3f1f5a2f7a01\n0b2c4c1e-7a35-4b1e-9a51-3f1f5a2f7a02\n';

const MONITORING =
  'project: shop\nchecks:\n  - { name: Home page, checkType: DNS, request: { query: example.com } }\n';

const FILES: Readonly<Record<string, string>> = {
  'ca.pem': cert,
  'check.yaml': 'name: From a file\nrequest:\n  query: example.com\n',
  'check.json': '{"name": "x", "request": {"query": "example.com"}, "heartbeat": {}, "script": ""}',
  'checkout.spec.js': "console.log('checkout')\n",
  'page.yaml': 'name: Status\nurl: status\ncards: []\n',
  'group.yaml': 'name: Shop\n',
  'ids.txt': '1201\n1202\n',
  'client.key': key,
  'client.pem': cert,
  'e2e/playwright.config.ts': 'export default {};\n',
  'key.txt': 'sk_example\n',
  'pagerduty.key': 'R0UT1NGKEY\n',
  'slack.token': 'xoxb-example\n',
  'monitoring/shop.yaml': MONITORING,
  'shop.yaml': MONITORING,
  'order.spec.js': '// orders\n',
  'password.txt': 'hunter2\n',
  'playwright.config.ts': 'export default {};\n',
  'shop.env': 'TOKEN=sk_example\n',
  'sign-in.js': '// signs in\n',
  'url.txt': 'https://shop.example.com\n',
};

/** Writes the files of the examples, and removes the YAML files that other examples wrote. */
function writeFiles(folder: string): void {
  mkdirSync(join(folder, 'monitoring'), { recursive: true });
  for (const file of readdirSync(join(folder, 'monitoring'), { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.yaml')) rmSync(join(folder, 'monitoring', file));
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

let shell: Shell;
let env: Record<string, string>;
let nameServer: Awaited<ReturnType<typeof startLoopbackNameServer>>;
beforeAll(async () => {
  nameServer = await startLoopbackNameServer({
    records: { 'example.com': [{ type: 'A', data: '192.0.2.1' }] },
  });
  env = {
    SONDE_RESOLVERS: `${nameServer.address}:${nameServer.port}`,
    ...{ SHOP_PASSWORD: 'hunter2', SHOP_TOKEN: 'hunter2', USER: 'ada' },
    // An example's suite runs on Bun, which no network brings here: npm is to say so at once.
    ...{ npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' },
  };
  shell = openShell(env);
  writeFiles(shell.folder);
  const { code, stderr } = await shell.run(`
    sonde service start --detach
    sonde checks create-dns --name Seen --query example.com --tags smoke,checkout
    url=$(sonde service status --jq .url)
    echo sk_example | sonde login --base-url "$url" --profile staging --no-verify
    sonde profiles use local
    sonde apply --yes`);
  expect(code, stderr).toBe(0);
});
afterAll(async () => {
  await shell.run('sonde service stop --data sonde-data');
  await shell.close();
  await nameServer.close();
});

test('every command has an example', () => {
  expect(commands.filter(({ examples }) => examples.length === 0).map(({ name }) => name)).toEqual([]);
});

/** The words of a line without pipes and redirections, as a shell splits them. */
const words = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double),
  );

/** What only a shell can run: a pipe, a redirection, a variable. */
const NEEDS_SHELL = /[|<>$&;`\\]/;

/** Runs an example in a home of its own, which has the service's profiles: some examples change them. */
async function runExample(line: string): Promise<Ran> {
  const home = mkdtempSync(join(shell.temporary, 'home-'));
  cpSync(join(shell.home, '.config'), join(home, '.config'), { recursive: true });
  const more = { ...env, HOME: home, SONDE_RETRY_BUDGET: '0s' };
  try {
    if (NEEDS_SHELL.test(line)) return await shell.run(`sonde ${line}`, more);
    return await sondeInProcess(words(line), {
      env: bareEnv(home, { TMPDIR: shell.temporary, ...more }),
      cwd: shell.folder,
    });
  } finally {
    rmSync(home, { recursive: true });
  }
}

const shown = commands
  .filter(({ name }) => !ELSEWHERE.includes(name))
  .map(
    ({ name, examples }) =>
      [name, examples.map(({ line }) => line).filter((line) => !isLasting(line))] as const,
  );

describe('examples', () => {
  test.for(sampleOf(shown, 25))('%s', async ([name, lines], context) => {
    if (lines.some((line) => /\bcurl\b/.test(line))) needs('curl')(context);
    for (const line of lines) {
      // A file that an example wrote must not decide what the next one does.
      writeFiles(shell.folder);
      if (name === 'try')
        writeFileSync(join(shell.folder, 'check.yaml'), `checkType: DNS\n${FILES['check.yaml']}`);
      if (name === 'checks create-browser')
        writeFileSync(join(shell.folder, 'check.yaml'), 'name: From a file\n');
      if (HAS_UUIDS.test(name)) writeFileSync(join(shell.folder, 'ids.txt'), UUIDS);
      const typed = line.replaceAll('<id>', '9f3c1a7e');
      const { code, stdout, stderr } = await runExample(typed);
      const told = `sonde ${typed}\n${stdout}${stderr}`;
      if (code === 2) expect(stderr, told).toMatch(REFUSED);
      expect([70, 74, 126, 127, null], told).not.toContain(code);
    }
  });
});
