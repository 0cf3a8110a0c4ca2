/**
 * Takes the two pictures of README.md from the real program: `npm run pictures:readme`. A service on loopback, checks of a name
 * server and a web server on loopback, a gate in a terminal, and the status page of the same service.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from '@playwright/test';
import { startLoopbackNameServer } from '../../src/runners/dns/loopback-server.ts';
import { BINARY, bareEnv } from '../../test/support/binary.ts';
import { chromiumPath } from '../../test/support/chromium.ts';
import { recording } from './recording.ts';

const FOLDER = 'docs/pictures';
const [COLUMNS, ROWS] = [88, 30];
const PAGE = { width: 900, height: 1040 };

/** Prints each command after a prompt, then runs it. */
const SESSION = `
sonde() { "$NODE" "$BINARY" "$@"; }
run() { printf '\\033[1m$ %s\\033[0m\\n' "$1"; sleep 0.5; eval "$1"; code=$?; sleep "$2"; echo; return $code; }
run 'sonde checks list' 1 || exit
run 'sonde checks run --tag smoke && echo "Deploying."' 1.2 || exit
run 'sonde checks run Checkout && echo "Deploying."' 0.5
printf '\\033[1m$ echo $?\\033[0m\\n'; sleep 0.5; echo $code
`;

type Sonde = (...words: readonly string[]) => Promise<string>;

async function createChecks(sonde: Sonde, shop: string, nameServer: readonly string[]): Promise<void> {
  const smoke = ['--tags', 'smoke', '--locations', 'eu-central-1'];
  const names = ['--query', 'shop.example', ...nameServer, '--assert', 'RESPONSE_CODE EQUALS NOERROR'];
  await sonde('checks', 'create-dns', '--name', 'Apex record', ...names, ...smoke);
  await sonde('checks', 'create-url', '--name', 'Home page', '--url', shop, ...smoke);
  const checkout = ['--name', 'Checkout', '--url', `${shop}/checkout`, '--retry-strategy', 'null'];
  await sonde('checks', 'create-url', ...checkout, '--locations', 'eu-central-1');
}

/** A page with an incident that is open and one that is resolved; its path. */
async function createStatusPage(sonde: Sonde): Promise<string> {
  const service = (name: string) => sonde('services', 'create', '--name', name, '--json', '--jq', '.id');
  const [web, checkout, api] = [await service('Website'), await service('Checkout'), await service('API')];
  const cards = [`name=Shop`, `services[0].id=${web}`, `services[1].id=${checkout}`, `services[2].id=${api}`];
  const sets = cards.flatMap((card) => ['--set', `cards[0].${card}`]);
  await sonde('status-pages', 'create', '--name', 'Example shop', '--url', 'shop', ...sets);
  const incident = (name: string, severity: string, id: string, text: string) =>
    sonde(
      ...['incidents', 'create', '--name', name, '--severity', severity, '--services', id],
      ...['--status', 'INVESTIGATING', '--description', text, '--json', '--jq', '.id'],
    );
  const past = await incident('Slow answers of the API', 'MINOR', api, 'We are investigating slow answers.');
  await sonde('incidents', 'resolve', past, '--description', 'The API is fast again.');
  const open = await incident(
    'Some payments fail',
    'MAJOR',
    checkout,
    'Card payments are failing for some customers. We are investigating.',
  );
  const text = 'A payment provider rejects our requests. We are working with them on a fix.';
  await sonde('incidents', 'update', open, '--status', 'IDENTIFIED', '--description', text);
  return '/status/shop';
}

async function photograph(url: string, file: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: await chromiumPath(), args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: PAGE, colorScheme: 'light' });
    await page.goto(url);
    await page.screenshot({ path: file });
  } finally {
    await browser.close();
  }
}

export async function main(): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'sonde-pictures-'));
  const env = bareEnv(home, { TZ: 'UTC' });
  const sonde: Sonde = async (...words) => {
    const { stdout } = await promisify(execFile)(process.execPath, [BINARY, ...words], { env });
    return stdout.trim();
  };
  const names = await startLoopbackNameServer({
    records: { 'shop.example': [{ type: 'A', data: '192.0.2.10' }] },
  });
  const web = createServer(({ url }, response) => {
    response.statusCode = url === '/checkout' ? 503 : 200;
    response.end('ok');
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const shop = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  try {
    await mkdir(FOLDER, { recursive: true });
    await sonde('service', 'start', '--detach', '--listen', '127.0.0.1:0');
    await createChecks(sonde, shop, ['--name-server', names.address, '--port', String(names.port)]);
    const terminal = { columns: COLUMNS, rows: ROWS, cwd: home };
    const withProgram = { ...env, NODE: process.execPath, BINARY, TERM: 'xterm-256color' };
    const svg = await recording('bash', ['-c', SESSION], { ...terminal, env: withProgram });
    await writeFile(join(FOLDER, 'terminal.svg'), svg);
    const page = await createStatusPage(sonde);
    const service = await sonde('service', 'status', '--jq', '.url');
    await photograph(`${service}${page}`, join(FOLDER, 'status-page.png'));
    console.log(`The pictures are in ${FOLDER}`);
    return 0;
  } finally {
    await sonde('service', 'stop').catch(() => {});
    await names.close();
    web.close();
    await rm(home, { recursive: true, force: true });
  }
}
