/** What the commands send is what the published API of deployments requires: every writing command, at a gate that looks at it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wholeFolders } from '../cli/manifest/whole-folder.ts';
import { formatRows } from '../clients/compatibility.ts';
import type { ScriptedAnswer, SeenRequest } from '../support/http.ts';
import { sondeInProcess } from '../support/in-process.ts';
import { envAt, startGate } from './published/gate.ts';
import { publishedViolations } from './published/violations.ts';
import { NOBODY, startWorld, type World } from './world.ts';

let world: World;
let folder: string;
let serviceId: string;
beforeAll(async () => {
  world = await startWorld();
  folder = mkdtempSync(join(tmpdir(), 'sonde-published-'));
  writeFileSync(join(folder, 'script.js'), '// nothing\n');
  writeFileSync(join(folder, 'page.yaml'), 'name: Status\nurl: status\ncards: []\n');
  serviceId = (await world.service.make<{ id: string }>('POST /v1/status-pages/services', { name: 'Shop' }))
    .id;
});
afterAll(async () => {
  await Promise.all([world.service.close(), world.names.close()]);
  rmSync(folder, { recursive: true });
});

const CHECK = ['--name', 'Shop', '--no-activated', '--set', 'retryStrategy.maxRetries=3'];
/** The commands that change a check of any type, after one that made it. */
const checkLines = (create: string, ...flags: string[]): string[][] => [
  ['checks', create, ...CHECK, ...flags],
  ['checks', 'update', '{id}', '--name', 'Renamed'],
  ['checks', 'update', '{id}', '--set', 'retryStrategy.maxRetries=2', '--tags', 'shop'],
  ['checks', 'resume', '{id}'],
  ['checks', 'pause', '{id}'],
];

/** Lines by what they are about. The first makes what `{id}` stands for in the others. */
const LINES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'API check': checkLines('create-api', '--url', 'https://shop.example'),
  'API check with a password': [
    [
      ...['checks', 'create-api', ...CHECK, '--url', 'https://shop.example', '--username', 'ada'],
      ...['--set', 'request.basicAuth.password=x'],
    ],
  ],
  'browser check': checkLines('create-browser', '--script-file', 'script.js'),
  'DNS check': checkLines('create-dns', '--query', 'shop.example'),
  'ICMP check': checkLines('create-icmp', '--hostname', 'shop.example'),
  'multi-step check': checkLines('create-multistep', '--script-file', 'script.js'),
  'SSL check': checkLines('create-ssl', '--hostname', 'shop.example'),
  'TCP check': checkLines('create-tcp', '--hostname', 'shop.example', '--port', '443'),
  'URL check': checkLines('create-url', '--url', 'https://shop.example'),
  'heartbeat check': [
    [
      ...'checks create-heartbeat --name Backup --period 1 --period-unit hours --grace 5 --grace-unit minutes'.split(
        ' ',
      ),
    ],
    ['checks', 'update', '{id}', '--period', '2'],
  ],
  'incident of a check': [
    [
      ...[
        'checks',
        'create-url',
        ...CHECK,
        '--url',
        'https://shop.example',
        '--set',
        'triggerIncident.serviceId={service}',
      ],
      ...['--set', 'triggerIncident.severity=MAJOR', '--set', 'triggerIncident.name=Down'],
      ...['--set', 'triggerIncident.description=The shop is down'],
    ],
  ],
  'alert channel': [
    ['alert-channels', 'create', '--type', 'EMAIL', '--address', 'ada@shop.example'],
    ['alert-channels', 'update', '{id}', '--no-send-recovery'],
    ['alert-channels', 'update', '{id}', '--address', 'night@shop.example'],
  ],
  snippet: [
    ['snippets', 'create', '--name', 'Sign in', '--script-file', 'script.js'],
    ['snippets', 'update', '{id}', '--name', 'Sign out'],
  ],
  'private location': [
    ['private-locations', 'create', '--name', 'Cellar', '--slug-name', 'cellar'],
    ['private-locations', 'update', '{id}', '--icon', 'server'],
  ],
  service: [
    ['services', 'create', '--name', 'Checkout'],
    ['services', 'update', '{id}', '--name', 'Basket'],
  ],
  'status page': [
    ['status-pages', 'create', '--name', 'Status', '--url', 'shop-status', '--set', 'cards=[]'],
    ['status-pages', 'put', '{id}', '-f', 'page.yaml'],
  ],
  incident: [
    [
      ...['incidents', 'create', '--name', 'Payments fail', '--severity', 'MAJOR', '--services', '{service}'],
      ...['--status', 'INVESTIGATING', '--description', 'We look.'],
    ],
    ['incidents', 'update', '{id}', '--severity', 'MINOR'],
    ['incidents', 'update', '{id}', '--status', 'IDENTIFIED', '--description', 'A bad release.'],
    [
      'incidents',
      'update',
      '{id}',
      '--name',
      'Cards fail',
      '--status',
      'MONITORING',
      '--description',
      'Rolled back.',
    ],
    ['incidents', 'resolve', '{id}'],
  ],
  'maintenance window': [
    [
      ...['maintenance', 'create', '--name', 'Move', '--starts-at', '2099-01-01T10:00:00Z'],
      ...['--ends-at', '2099-01-01T12:00:00Z'],
    ],
    ['maintenance', 'update', '{id}', '--name', 'Moved'],
  ],
  dashboard: [
    ['dashboards', 'create', '--header', 'Shop'],
    ['dashboards', 'update', '{id}', '--width', '960PX'],
  ],
  group: [
    ['groups', 'create', '--name', 'Shop', '--locations', 'eu-west-1'],
    ['groups', 'update', '{id}', '--muted', '--set', 'retryStrategy.maxRetries=3'],
    ['groups', 'update', '{id}', '--replace', '--no-muted'],
    ['triggers', 'create', '{id}'],
  ],
  variable: [
    ['variables', 'set', 'SHOP_URL'],
    ['variables', 'set', 'SHOP_URL', '--locked'],
  ],
  session: [
    ['checks', 'create-url', '--name', 'Slow', '--url', 'https://shop.example'],
    ['triggers', 'create', '{id}'],
    ['checks', 'run', '{id}', '--no-wait'],
  ],
};

interface Sent {
  readonly line: string;
  readonly violations: readonly string[] | undefined;
}

/** Runs the lines, and returns what the gate saw of each request. A request that is refused ends its line with exit 3. */
async function sentBy(
  lines: readonly (readonly string[])[],
  refuse: (request: SeenRequest) => ScriptedAnswer | undefined = () => undefined,
): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  const gate = await startGate(world, (request) => {
    const path = request.url.split('?')[0] ?? '';
    const refusal = refuse(request);
    const violations = publishedViolations(request.method, path, request.body);
    if (refusal === undefined) sent.push({ line: `${request.method} ${path}`, violations });
    return refusal;
  });
  let id = '';
  for (const words of lines) {
    const args = words.map((word) => word.replace('{id}', id).replace('{service}', serviceId));
    const { code, stdout, stderr } = await sondeInProcess([...args, '--yes', '--json'], {
      env: envAt(world, gate),
      cwd: folder,
      stdin: 'value',
    });
    expect(code, `${args.join(' ')}: ${stderr}`).toBe(0);
    const made = JSON.parse(stdout) as { id?: string | number; dashboardId?: string };
    if (id === '') id = String(made.dashboardId ?? made.id ?? '-');
  }
  return sent;
}

describe.each(Object.entries(LINES))('%s', (_name, lines) => {
  it('sends whole bodies to endpoints that are published', async () => {
    const sent = await sentBy(lines);
    expect(sent.filter(({ line }) => !line.startsWith('GET')).length).toBeGreaterThanOrEqual(lines.length);
    expect(sent.filter(({ violations }) => violations === undefined)).toEqual([]);
    expect(sent.filter(({ violations = [] }) => violations.length > 0)).toEqual([]);
  });
});

it('applies a folder of files with whole bodies, one by one, to endpoints that are published', async () => {
  const [before, after] = wholeFolders('published');
  const sent: Sent[] = [];
  const gate = await startGate(world, ({ method, url, body }) => {
    const path = url.split('?')[0] ?? '';
    if (method !== 'GET')
      sent.push({ line: `${method} ${path}`, violations: publishedViolations(method, path, body) });
    return undefined;
  });
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await sondeInProcess(args, { env: envAt(world, gate), cwd: folder });
    expect(code, stdout + stderr).toBe(0);
    return stdout;
  };
  for (const text of [before, after]) {
    writeFileSync(join(folder, 'whole.yaml'), text);
    await run('apply', 'whole.yaml', '--yes');
    expect(await run('plan', 'whole.yaml')).toContain('No changes');
  }
  writeFileSync(join(folder, 'whole.yaml'), 'project: published\n');
  expect(await run('apply', 'whole.yaml', '--prune', '--yes', '--allow-mass-delete')).toContain('deleted');
  expect(new Set(sent.map(({ line }) => line.split(' ')[0]))).toEqual(new Set(['POST', 'PUT', 'DELETE']));
  expect(sent.filter(({ violations }) => violations?.length !== 0)).toEqual([]);
}, 120_000);

it('cancels a session with an empty object', async () => {
  const seen: SeenRequest[] = [];
  const gate = await startGate(world, (request) => {
    if (!request.url.endsWith('/cancel')) return undefined;
    seen.push(request);
    return { status: 204 };
  });
  const ran = await sondeInProcess(['sessions', 'cancel', NOBODY, '--yes'], { env: envAt(world, gate) });
  expect(ran.code, ran.stderr).toBe(0);
  expect(seen.map(({ method, url, body }) => publishedViolations(method, url, body))).toEqual([[]]);
  expect(seen[0]?.body).toBe('{}');
});

const NO_ROUTE: ScriptedAnswer = { status: 404, body: { message: 'Route not found', error: 'Not Found' } };
const isWriteTo =
  (pattern: RegExp) =>
  ({ method, url }: SeenRequest): boolean =>
    method !== 'GET' && pattern.test(url);

describe('a deployment without', () => {
  it('the update of one check type is sent the update of all types', async () => {
    const isTyped = isWriteTo(/^\/v1\/checks\/dns\/[^/]+$/);
    const [create = [], ...changes] = LINES['DNS check'] ?? [];
    const sent = await sentBy([create, ...changes], (request) => (isTyped(request) ? NO_ROUTE : undefined));
    const updates = sent.filter(({ line }) => line.startsWith('PUT'));
    expect(updates).toHaveLength(changes.length);
    for (const { line } of updates) expect(line).toMatch(/^PUT \/v1\/checks\/[\w-]{36}$/);
  });

  it('incident updates is sent them with the incident, and is believed only if it has them then', async () => {
    const isUpdate = isWriteTo(/\/incident-updates$/);
    const [create = []] = LINES.incident ?? [];
    const resolve = ['incidents', 'resolve', '{id}'];
    const sent = await sentBy([create, resolve], (request) => (isUpdate(request) ? NO_ROUTE : undefined));
    expect(sent.map(({ line }) => line.replace(/[\w-]{36}/, '{id}'))).toContain(
      'PUT /v1/status-pages/incidents/{id}',
    );
    const { id } = await world.service.make<{ id: string }>('POST /v1/status-pages/incidents', {
      ...{ name: 'Slow', severity: 'MINOR', services: [{ id: serviceId }] },
      incidentUpdates: [{ description: 'We look.', status: 'INVESTIGATING' }],
    });
    const incident = (await world.service.api(`GET /v1/status-pages/incidents/${id}`)).body;
    const gate = await startGate(world, (request) => {
      if (isUpdate(request)) return NO_ROUTE;
      return request.method === 'PUT' ? { body: incident } : undefined;
    });
    const ran = await sondeInProcess(['incidents', 'resolve', id, '--yes'], { env: envAt(world, gate) });
    expect(ran.code, ran.stderr).not.toBe(0);
    expect(ran.stderr).toContain('the incident has no new update');
  });
});

it('is a row of docs/compatibility.md', async () => {
  const area = `The requests of the writing commands: ${Object.keys(LINES).join(', ')}`;
  const file = formatRows({
    client: 'Deployments with the published API',
    version: '',
    direction: 'deployment',
    rows: [{ area, works: true, since: 'next', note: '' }],
  });
  await expect(file).toMatchFileSnapshot('../clients/rows/published-api.json');
});
