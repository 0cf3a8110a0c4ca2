/** Verifying a custom domain from the command line, and what other commands say of one that is not verified. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { command as apply } from '../../../commands/apply.ts';
import { command as getDashboard } from '../../../commands/dashboards/get.ts';
import { command as verifyDashboard } from '../../../commands/dashboards/verify-domain.ts';
import { command as plan } from '../../../commands/plan.ts';
import { command as create } from '../../../commands/status-pages/create.ts';
import { command as get } from '../../../commands/status-pages/get.ts';
import { command as put } from '../../../commands/status-pages/put.ts';
import { command as verify } from '../../../commands/status-pages/verify-domain.ts';
import { createDashboard } from '../../../src/contract/index.ts';
import {
  type LoopbackNameServer,
  startLoopbackNameServer,
} from '../../../src/runners/dns/loopback-server.ts';
import { envOf, well } from '../../cli/resources/journey.ts';
import { call } from '../../support/call.ts';
import { runLine } from '../../support/command.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const NAME = '_sonde-challenge.status.example.com';

let service: TestService;
let nameServer: LoopbackNameServer | undefined;
beforeAll(async () => {
  service = await startTestService({
    engine: {
      resolvers: () => (nameServer === undefined ? [] : [`127.0.0.1:${nameServer.port}`]),
      denyAddress: (address) => `${address} is denied`,
    },
  });
});
afterAll(async () => {
  await service.close();
  await nameServer?.close();
});

it('prints the record to create until the service finds it', async () => {
  const options = { env: envOf(service) };
  const argv = ['--name', 'Shop', '--url', 'shop', '--custom-domain', 'status.example.com', '--json'];
  const created = await well(create, argv, options);
  const page = JSON.parse(created.stdout);
  const record = `${NAME}. TXT "${page.customDomainChallenge.recordValue}"`;
  expect(created.stderr).toContain(record);
  expect(created.stderr).toContain(`sonde status-pages verify-domain ${page.id}`);
  const shown = await well(get, [page.id], options);
  expect(shown.stdout).toContain('status.example.com (unverified)');
  expect(shown.stderr).toContain(record);
  // The fields of the answer do not hinder writing it back.
  const again = await well(put, [page.id, '-f', '-', '--yes'], { ...options, input: created.stdout });
  expect(again.stderr).not.toContain('skipped');
  const early = await runLine(verify, [page.id], options);
  expect([early.code, early.stderr]).toEqual([
    1,
    expect.stringContaining('status.example.com is not verified'),
  ]);

  const data = page.customDomainChallenge.recordValue as string;
  nameServer = await startLoopbackNameServer({
    records: {
      [NAME]: [{ type: 'TXT', data }],
      '_sonde-challenge.board.example.com': [{ type: 'TXT', data }],
    },
  });
  const verified = await well(verify, [page.id, '--json'], options);
  expect(JSON.parse(verified.stdout)).toMatchObject({ customDomainStatus: 'VERIFIED' });
  expect(verified.stderr).toBe('');
});

it('verifies the domain of a dashboard', async () => {
  const options = { env: envOf(service) };
  const body = { customUrl: 'board', customDomain: 'board.example.com' };
  const { dashboardId } = await call(service, createDashboard, { body });
  expect((await well(verifyDashboard, [dashboardId], options)).stdout).not.toContain('unverified');
  expect((await well(getDashboard, [dashboardId, '--json'], options)).stdout).toContain('"VERIFIED"');
});

it('is a note of plan and apply, with the record', async () => {
  const options = {
    env: envOf(service),
    files: {
      f: 'project: pages\nstatusPages: [{ name: News, url: news, customDomain: news.example.com, cards: [] }]\n',
    },
  };
  expect((await well(plan, ['f'], options)).stderr).not.toContain('not verified');
  for (const [command, ...flags] of [[apply, '--yes'], [plan], [apply, '--yes']] as const) {
    const { stderr } = await well(command, ['f', ...flags], options);
    expect(stderr).toContain('The page is not served at news.example.com');
    expect(stderr).toMatch(/_sonde-challenge\.news\.example\.com\. TXT "[\w-]{22}"/);
    expect(stderr).toMatch(/sonde status-pages verify-domain [\w-]{36}/);
  }
});
