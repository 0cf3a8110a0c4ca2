/** `sonde checks create-…` and `checks update` over checks of every type, at a service that stores them. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command as createAgentic } from '../../../commands/checks/create-agentic.ts';
import { command as createApi } from '../../../commands/checks/create-api.ts';
import { command as createHeartbeat } from '../../../commands/checks/create-heartbeat.ts';
import { command as createIcmp } from '../../../commands/checks/create-icmp.ts';
import { command as createMultiStep } from '../../../commands/checks/create-multistep.ts';
import { command as createPlaywright } from '../../../commands/checks/create-playwright.ts';
import { command as createSsl } from '../../../commands/checks/create-ssl.ts';
import { command as createTcp } from '../../../commands/checks/create-tcp.ts';
import { command as createUrl } from '../../../commands/checks/create-url.ts';
import { command as get } from '../../../commands/checks/get.ts';
import { command as list } from '../../../commands/checks/list.ts';
import { command as update } from '../../../commands/checks/update.ts';
import type { JsonObject } from '../../../src/base/object.ts';
import type { Command } from '../../../src/cli/framework/index.ts';
import { envOf, well } from '../../cli/resources/journey.ts';
import { runLine } from '../../support/command.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startTestService();
  folder = await mkdtemp(join(tmpdir(), 'sonde-suite-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const named = ['--name', 'c', '--no-activated', '--json'];
const make = async (command: Command, ...argv: string[]): Promise<JsonObject> =>
  JSON.parse((await well(command, [...named, ...argv], { env: envOf(service) })).stdout);

interface Case {
  readonly command: Command;
  readonly argv: readonly string[];
  readonly made: JsonObject;
  readonly change: readonly string[];
  readonly changed: JsonObject;
  /** A part of its card. */
  readonly card: string;
}
const CASES: Readonly<Record<string, Case>> = {
  URL: {
    command: createUrl,
    argv: ['--url', 'https://example.com', '--assert', 'status_code equals 200', '--frequency', '0'],
    made: { request: { method: 'GET', assertions: [{ source: 'STATUS_CODE' }] }, frequencyOffset: 30 },
    change: ['--method', 'HEAD', '--no-follow-redirects'],
    changed: { request: { url: 'https://example.com', method: 'HEAD', followRedirects: false } },
    card: 'GET https://example.com',
  },
  TCP: {
    command: createTcp,
    argv: ['--hostname', 'mail.example.com', '--port', '25', '--assert', 'RESPONSE_DATA CONTAINS 220'],
    made: { request: { port: 25 }, maxResponseTime: 5000 },
    change: ['--data', 'QUIT', '--max-response-time', '900'],
    changed: { request: { hostname: 'mail.example.com', data: 'QUIT' }, maxResponseTime: 900 },
    card: 'mail.example.com, port 25',
  },
  SSL: {
    command: createSsl,
    argv: ['--hostname', 'example.com', '--assert', 'CERTIFICATE(daysUntilExpiry) GREATER_THAN 14'],
    made: { request: { sslConfig: { port: 443 }, assertions: [{ property: 'daysUntilExpiry' }] } },
    change: ['--ssl-port', '465', '--alert-days-before-expiry', '30'],
    changed: { request: { sslConfig: { hostname: 'example.com', port: 465, alertDaysBeforeExpiry: 30 } } },
    card: 'example.com, port 443',
  },
  ICMP: {
    command: createIcmp,
    argv: ['--hostname', '192.0.2.1', '--ping-count', '3', '--assert', 'LATENCY(avg) LESS_THAN 50'],
    made: { request: { pingCount: 3, assertions: [{ property: 'avg' }] }, maxPacketLossThreshold: 20 },
    change: ['--max-packet-loss-threshold', '70'],
    changed: { maxPacketLossThreshold: 70 },
    card: '192.0.2.1, 3 pings',
  },
  API: {
    command: createApi,
    argv: [
      ...['--url', '/orders', '--header', 'accept=text/plain', '--header', 'x-a=b', '--username', 'shop'],
      ...['--body', '{}', '--body-type', 'JSON', '--method', 'POST', '--env', 'USER=me'],
    ],
    made: {
      request: {
        headers: [{ key: 'accept', value: 'text/plain' }, { key: 'x-a' }],
        ...{ body: '{}', bodyType: 'JSON', method: 'POST', basicAuth: { username: 'shop' } },
      },
    },
    change: ['--query-parameter', 'page=2', '--set', 'request.basicAuth=null'],
    changed: { request: { url: '/orders', queryParameters: [{ key: 'page', value: '2' }], basicAuth: null } },
    card: 'POST /orders',
  },
  HEARTBEAT: {
    command: createHeartbeat,
    argv: ['--period', '1', '--period-unit', 'days', '--grace', '1', '--grace-unit', 'hours'],
    made: { heartbeat: { period: 1, pingUrl: expect.stringContaining('/ping/') } },
    change: ['--grace', '30', '--grace-unit', 'minutes'],
    changed: { heartbeat: { period: 1, periodUnit: 'days', grace: 30, graceUnit: 'minutes' } },
    card: '1 day, grace 1 hour',
  },
  MULTI_STEP: {
    command: createMultiStep,
    argv: ['--script', 'one();\ntwo();'],
    made: { script: 'one();\ntwo();' },
    change: ['--frequency', '60'],
    changed: { frequency: 60 },
    card: '2 lines',
  },
  AGENTIC: {
    command: createAgentic,
    argv: ['--prompt', 'Buy a book', '--skills', 'shopping,reading'],
    made: { prompt: 'Buy a book', agentRuntime: { skills: ['shopping', 'reading'] }, frequency: 30 },
    change: ['--prompt', 'Buy two'],
    changed: { prompt: 'Buy two', agentRuntime: { skills: ['shopping', 'reading'] } },
    card: 'Buy a book',
  },
};

describe.each(Object.entries(CASES))(
  'a check of the type %s',
  (checkType, { command, argv, ...expected }) => {
    it('is made by its flags, told, and changed by them', async () => {
      const made = await make(command, ...argv);
      expect(made).toMatchObject({ checkType, ...expected.made });
      const id = String(made.id);
      const card = await well(get, [id], { env: envOf(service), isTTY: { stdout: true } });
      expect(card.stdout).toContain(expected.card);
      expect(card.stdout).not.toMatch(/(?:BROWSER|MULTI_STEP|PLAYWRIGHT|HEARTBEAT|AGENTIC) check/);
      await well(update, [id, ...expected.change, '--yes'], { env: envOf(service) });
      const { stdout } = await well(get, [id, '--json'], { env: envOf(service) });
      expect(JSON.parse(stdout)).toMatchObject({ checkType, ...expected.changed });
    });

    it('prints a body to start from, which it takes itself', async () => {
      const example = await runLine(command, ['--example'], { env: envOf(service) });
      const { code, stderr } = await runLine(command, ['-f', '-', '--dry-run'], {
        env: envOf(service),
        input: example.stdout,
      });
      expect({ code, stderr: stderr.replace(/^Sent .*\n/m, '') }).toEqual({ code: 0, stderr: '' });
    });
  },
);

describe('the list of checks', () => {
  it('tells of a heartbeat how often its ping is expected', async () => {
    await make(
      createHeartbeat,
      ...'--period 90 --period-unit minutes --grace 5 --grace-unit minutes'.split(' '),
    );
    const { stdout } = await well(list, ['--check-type', 'HEARTBEAT', '--all'], {
      env: envOf(service),
      isTTY: { stdout: true },
    });
    expect(stdout).toContain('1h 30m');
  });
});

describe('the card of a check', () => {
  it('says that it is never degraded where it fails as soon', async () => {
    const card = async (...limits: string[]) => {
      const { id } = await make(createUrl, '--url', 'https://example.com', ...limits);
      return (await well(get, [String(id)], { env: envOf(service), isTTY: { stdout: true } })).stdout;
    };
    expect(await card('--max-response-time', '2000')).toMatch(/Degraded at.*never \(the check fails first\)/);
    expect(await card('--max-response-time', '4000')).toMatch(/Degraded at.*3s/);
  });
});

describe('checks update', () => {
  it('refuses what belongs to checks of another type', async () => {
    const { id } = await make(createUrl, '--url', 'https://example.com');
    const { code, stderr } = await runLine(update, [String(id), '--period', '5', '--yes'], {
      env: envOf(service),
    });
    expect(code).toBe(2);
    expect(stderr).toContain('heartbeat is not a known field');
  });
});

describe('checks create-api', () => {
  it('takes a password from a file, and no line shows it', async () => {
    const { stdout, stderr } = await well(
      createApi,
      [...named, '--url', 'https://a.example', '--username', 'shop', '--password-file', 'pw'],
      { env: envOf(service), files: { pw: 'open sesame\n' } },
    );
    expect(stdout + stderr).not.toContain('sesame');
    const check = await service.store.checks.get(service.accountId, JSON.parse(stdout).id);
    expect(check?.body).toMatchObject({ request: { basicAuth: { username: 'shop' } } });
    expect(JSON.stringify(check?.body)).toContain('open sesame');
  });
});

describe('checks create-playwright', () => {
  it('sends the folder without what is installed or was left by runs, the same bytes each time', async () => {
    for (const dir of ['tests', 'node_modules/x', 'test-results'])
      await mkdir(join(folder, dir), { recursive: true });
    for (const file of [
      'playwright.config.ts',
      'tests/a.spec.ts',
      'node_modules/x/i.js',
      'test-results/t',
      'notes.md',
    ])
      await writeFile(join(folder, file), file);
    const argv = ['--project', folder, '--exclude', '*.md', '--pw-tags', '@smoke'];
    const made = await make(createPlaywright, ...argv);
    expect(made).toMatchObject({ checkType: 'PLAYWRIGHT', pwTags: ['@smoke'], exclude: ['*.md'] });
    const archive = await service.store.codeBundles.read(service.accountId, String(made.codeBundleId));
    const files = unzipSync(new Uint8Array(archive ?? Buffer.alloc(0)));
    expect(Object.keys(files)).toEqual(['playwright.config.ts', 'tests/a.spec.ts']);
    expect(strFromU8(files['tests/a.spec.ts'] ?? new Uint8Array())).toBe('tests/a.spec.ts');
    expect((await make(createPlaywright, ...argv)).codeBundleId).toBe(made.codeBundleId);
    const id = String(made.id);
    const env = envOf(service);
    await well(update, [id, '--project', folder, '--yes'], { env });
    const same = JSON.parse((await well(get, [id, '--json'], { env })).stdout);
    expect(same).toMatchObject({ codeBundleId: made.codeBundleId, exclude: ['*.md'] });
    await writeFile(join(folder, 'tests/b.spec.ts'), 'more');
    await well(update, [id, '--project', folder, '--yes'], { env });
    const changed = JSON.parse((await well(get, [id, '--json'], { env })).stdout);
    expect(changed.codeBundleId).not.toBe(made.codeBundleId);
    expect(changed).toMatchObject({ exclude: ['*.md'], pwTags: ['@smoke'] });
  });

  it('asks for the folder, and names one that is not there', async () => {
    const none = await runLine(createPlaywright, ['--name', 'c'], { env: envOf(service) });
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--project is required') });
    const wrong = await runLine(createPlaywright, ['--name', 'c', '--project', join(folder, 'nowhere')], {
      env: envOf(service),
    });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('no such folder') });
  });
});
