/** Names and beginnings of IDs wherever an ID is wanted, against a real service. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command as createDns } from '../../../commands/checks/create-dns.ts';
import { command as deleteCheck } from '../../../commands/checks/delete.ts';
import { command as getCheck } from '../../../commands/checks/get.ts';
import { command as pauseChecks } from '../../../commands/checks/pause.ts';
import { command as checkResults } from '../../../commands/checks/results.ts';
import { command as runChecks } from '../../../commands/checks/run.ts';
import { command as updateCheck } from '../../../commands/checks/update.ts';
import { command as createDashboard } from '../../../commands/dashboards/create.ts';
import { command as getDashboard } from '../../../commands/dashboards/get.ts';
import { command as listErrorGroups } from '../../../commands/error-groups/list.ts';
import { command as createGroup } from '../../../commands/groups/create.ts';
import { command as getGroup } from '../../../commands/groups/get.ts';
import { command as createIncident } from '../../../commands/incidents/create.ts';
import { command as createWindow } from '../../../commands/maintenance/create.ts';
import { command as getWindow } from '../../../commands/maintenance/get.ts';
import { command as createLocation } from '../../../commands/private-locations/create.ts';
import { command as getLocation } from '../../../commands/private-locations/get.ts';
import { command as createService } from '../../../commands/services/create.ts';
import { command as getService } from '../../../commands/services/get.ts';
import { command as cancelSessions } from '../../../commands/sessions/cancel.ts';
import { command as getSession } from '../../../commands/sessions/get.ts';
import { command as listSessions } from '../../../commands/sessions/list.ts';
import { command as waitForSessions } from '../../../commands/sessions/wait.ts';
import { command as createSnippet } from '../../../commands/snippets/create.ts';
import { command as getSnippet } from '../../../commands/snippets/get.ts';
import { command as createPage } from '../../../commands/status-pages/create.ts';
import { command as getPage } from '../../../commands/status-pages/get.ts';
import { command as createTrigger } from '../../../commands/triggers/create.ts';
import type { Command } from '../../../src/cli/framework/types.ts';
import {
  type LoopbackNameServer,
  startLoopbackNameServer,
} from '../../../src/runners/dns/loopback-server.ts';
import { byHand } from '../../support/by-hand.ts';
import { runLine } from '../../support/command.ts';
import { askedLine } from '../../support/person.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { envOf, well } from './journey.ts';

let service: TestService;
let names: LoopbackNameServer;

beforeAll(async () => {
  service = await startTestService();
  names = await startLoopbackNameServer({ records: { 'apex.test': [{ type: 'A', data: '192.0.2.1' }] } });
});
afterAll(() => Promise.all([service.close(), names.close()]));

/** An account of its own with checks of these names; gives their IDs in turn. */
async function account(...checks: readonly string[]) {
  const { apiKey } = await service.newAccount();
  const env = { ...envOf(service), SONDE_API_KEY: apiKey };
  const { frequency, frequencyOffset } = byHand();
  const schedule = ['--frequency', String(frequency), '--frequency-offset', String(frequencyOffset)];
  const server = ['--name-server', names.address, '--port', String(names.port), '--locations', 'eu-west-1'];
  const ids: string[] = [];
  for (const name of checks) {
    const line = ['--name', name, '--query', 'apex.test', ...server, ...schedule, '--jq', '.id'];
    ids.push((await well(createDns, line, { env })).stdout.trim());
  }
  return { env, ids };
}

const nameOf = async (env: Readonly<Record<string, string>>, word: string): Promise<string> =>
  JSON.parse((await well(getCheck, [word, '--json'], { env })).stdout).name;

describe('a check', () => {
  it('is found by its name in any case, and by the beginning of its ID', async () => {
    const { env, ids } = await account('Apex record', 'apex record of the shop', 'Ünïcode');
    expect(await nameOf(env, 'Apex record')).toBe('Apex record');
    expect(await nameOf(env, 'aPEX RECORD')).toBe('Apex record');
    expect(await nameOf(env, 'üNÏCODE')).toBe('Ünïcode');
    expect(await nameOf(env, (ids[1] ?? '').slice(0, 12).toUpperCase())).toBe('apex record of the shop');
  });

  it('is found by its exact name before any other, also where that begins another ID', async () => {
    const { env, ids } = await account('Apex', 'APEX');
    const [first = ''] = ids;
    const start = first.slice(0, 8);
    await well(createDns, ['--name', start, '--query', 'apex.test'], { env });
    expect(await nameOf(env, 'APEX')).toBe('APEX');
    expect(await nameOf(env, start)).toBe(start);
    expect(await nameOf(env, first.slice(0, 13))).toBe('Apex');
  });

  it('that is not the only one of its name is refused with all of them, and nothing is deleted', async () => {
    const { env, ids } = await account('Apex record', 'Apex record', 'Other');
    const { code, stderr } = await runLine(deleteCheck, ['Other', 'Apex record', '--yes'], { env });
    expect(code).toBe(2);
    const rows = ids.slice(0, 2).map((id) => `  ${id.slice(0, 8)} Apex record, DNS`);
    expect(stderr.split('\n').sort()).toEqual(
      [
        'Error: "Apex record" is ambiguous: 2 checks have this name',
        ...rows,
        'pass one of these IDs instead',
        '',
      ].sort(),
    );
    const inAnyCase = await runLine(deleteCheck, ['apex RECORD', '--yes'], { env });
    expect(inAnyCase.stderr).toContain('"apex RECORD" is ambiguous: 2 checks have this name');
    expect(await nameOf(env, 'Other')).toBe('Other');
  });

  it('that is unknown is not found: the nearest names are told, and how to list them', async () => {
    const { env } = await account('Apex record', 'Apex records', 'Login');
    const { code, stderr, stdout } = await runLine(runChecks, ['Apex recrd'], { env });
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toBe(
      'Error: check "Apex recrd" not found\n' +
        'did you mean "Apex record" or "Apex records"?\n' +
        'to list IDs, run: sonde checks list\n',
    );
  });

  it('is no guess: neither a part of a name nor a few characters of an ID mean it', async () => {
    const { env, ids } = await account('Apex record');
    for (const word of ['Apex', 'record', (ids[0] ?? '').slice(0, 3), (ids[0] ?? '').slice(1, 9)]) {
      expect((await runLine(getCheck, [word], { env })).code, word).toBe(5);
    }
  });

  it('of several that are not clear is told in a line each', async () => {
    const { env } = await account('Apex', 'Apex', 'Login');
    const { code, stderr } = await runLine(pauseChecks, ['Apex', 'Logn', 'Login'], { env });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^Error: 2 names are unknown or ambiguous; nothing was changed\n {2}"Apex" matches 2 checks: \w{8}, \w{8}\n {2}"Logn" matches no check \(did you mean "Login"\?\)\n/,
    );
  });

  it('is updated, paused, read and triggered by its name', async () => {
    const { env, ids } = await account('Apex record');
    const [id = ''] = ids;
    const paused = await well(pauseChecks, ['apex record', '--json', '--yes'], { env });
    expect(JSON.parse(paused.stdout)).toMatchObject({ id, activated: false });
    expect(paused.stderr).toContain(`The check Apex record (${id}) is paused.`);
    const updated = await well(updateCheck, ['Apex record', '--name', 'Renamed', '--yes', '--json'], { env });
    expect(JSON.parse(updated.stdout)).toMatchObject({ id, name: 'Renamed' });
    expect(updated.stderr).toContain(`sonde checks update ${id} `);
    await well(checkResults, ['Renamed'], { env });
    await well(listErrorGroups, ['Renamed'], { env });
    const trigger = await well(createTrigger, ['Renamed', '--json'], { env });
    expect(JSON.parse(trigger.stdout)).toMatchObject({ checkId: id });
  });

  it('is shown with ID and name before it is deleted, and in what is printed', async () => {
    const { env, ids } = await account('Apex record', 'Login');
    const [apex = '', login = ''] = ids;
    const shown = await runLine(deleteCheck, ['Login', '--dry-run'], { env });
    expect(shown.stdout).toContain(`/v1/checks/${login}\n`);
    expect(shown.stderr).toBe(`${login} is Login.\n`);
    const alone = await runLine(deleteCheck, ['Login'], { env });
    expect(alone).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`Delete the check Login (${login})?`),
    });
    const declined = await askedLine(deleteCheck, [apex.slice(0, 8)], { env }, [
      `Delete the check ${apex}? You cannot undo this.`,
      'n\n',
    ]);
    expect(declined).toMatchObject({ code: 9, stderr: expect.stringContaining(`${apex}  Apex record, DNS`) });
    const gone = await well(deleteCheck, ['Login', '--yes', '--json'], { env });
    expect(JSON.parse(gone.stdout)).toEqual({ id: login, name: 'Login', deleted: true });
    expect(gone.stderr).toBe(`Deleted the check Login (${login}).\n`);
  });

  it('that is gone already is no mistake with --ignore-missing', async () => {
    const { env, ids } = await account('Apex record');
    const line = ['Apex record', 'Gone', '--ignore-missing', '--yes', '--json'];
    const { stdout, stderr } = await well(deleteCheck, line, { env });
    expect(JSON.parse(stdout)).toEqual([
      { id: ids[0], name: 'Apex record', deleted: true },
      { id: 'Gone', deleted: false },
    ]);
    expect(stderr).toContain('check "Gone" not found.');
    const again = await well(deleteCheck, line.slice(1), { env });
    expect(JSON.parse(again.stdout)).toEqual({ id: 'Gone', deleted: false });
    expect((await runLine(deleteCheck, ['Gone', '--yes'], { env })).code).toBe(5);
  });

  it('is named to flags that take its ID, too', async () => {
    const { env, ids } = await account('Apex record', 'Login');
    await well(runChecks, ['--all', '--no-wait'], { env });
    const listed = await well(listSessions, ['--check-id', 'Apex record', '--json'], { env });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ checkId: ids[0] }]);
    const group = await well(createGroup, ['--name', 'Shop', '--jq', '.id'], { env });
    const moved = await well(updateCheck, ['Login', '--group-id', 'shop', '--yes', '--json'], { env });
    expect(JSON.parse(moved.stdout)).toMatchObject({ groupId: Number(group.stdout) });
  });

  it('can be one of several in a flag that has a list of IDs', async () => {
    const { env, ids } = await account('Apex record', 'Login', 'Search');
    const update = (...line: string[]) => well(updateCheck, ['Search', ...line, '--yes', '--json'], { env });
    const dependent = await update('--depends-on', 'apex record, login');
    expect(JSON.parse(dependent.stdout)).toMatchObject({ dependsOn: ids.slice(0, 2) });
    expect(JSON.parse((await update('--depends-on', '[]')).stdout)).toMatchObject({ dependsOn: [] });
    const unknown = await runLine(updateCheck, ['Search', '--depends-on', 'Login,Cart', '--yes'], { env });
    expect([unknown.code, unknown.stderr]).toEqual([5, expect.stringContaining('check "Cart" not found')]);
  });

  it('of a service works in a maintenance window and an incident', async () => {
    const { env } = await account();
    const api = (await well(createService, ['--name', 'API', '--jq', '.id'], { env })).stdout.trim();
    const times = ['--starts-at', '2030-01-01T00:00:00Z', '--ends-at', '2030-01-01T01:00:00Z'];
    const line = ['--name', 'Move', '--services', 'api', '--json'];
    const window = await well(createWindow, [...line, ...times], { env });
    expect(JSON.parse(window.stdout)).toMatchObject({ statusPageVisibility: { serviceIds: [api] } });
    const status = ['--severity', 'MAJOR', '--status', 'INVESTIGATING', '--description', 'We investigate.'];
    const incident = await well(createIncident, [...line, ...status], { env });
    expect(JSON.parse(incident.stdout)).toMatchObject({ services: [{ id: api }] });
  });
});

describe('a gate', () => {
  it('runs a check by its name and passes on its verdict alone', async () => {
    const { env } = await account('Apex record', 'Login');
    const { stdout } = await well(runChecks, ['apex record', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ name: 'Apex record', status: 'PASSED' });
  });

  it('waits for a session by the beginning of its ID, and never for one of several', async () => {
    const { env, ids } = await account('Apex record');
    const started = await well(runChecks, [...ids, '--no-wait'], { env });
    const id = started.stdout.trim();
    const { stdout } = await well(waitForSessions, [id.slice(0, 8), '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ checkSessionId: id, status: 'PASSED' });
    expect((await well(getSession, [id.slice(0, 4), '--jq', '.status'], { env })).stdout).toBe('PASSED\n');
    // The name is that of the check, which has other sessions.
    const named = await runLine(waitForSessions, ['Apex record'], { env });
    expect(named).toMatchObject({ code: 2, stderr: expect.stringContaining('must be a UUID') });
    const cancelled = await runLine(cancelSessions, [id.slice(0, 8), '--yes'], { env });
    expect(cancelled).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('has already ended (PASSED)'),
    });
  });
});

describe('other things', () => {
  const at = ['--starts-at', '2026-11-21T10:00:00Z', '--ends-at', '2026-11-21T11:00:00Z'];
  const named = ['--name', 'The shop'];
  it.each<readonly [string, Command, Command, string[]]>([
    ['group', createGroup, getGroup, named],
    ['snippet', createSnippet, getSnippet, [...named, '--script', '//']],
    ['maintenance window', createWindow, getWindow, [...named, ...at, '--set', 'repeatUnit=null']],
    ['service', createService, getService, named],
    ['private location', createLocation, getLocation, [...named, '--slug-name', 'shop']],
    ['status page', createPage, getPage, [...named, '--url', 'shop', '--set', 'cards=[]']],
    ['dashboard', createDashboard, getDashboard, ['--header', 'The shop', '--custom-url', 'wall']],
  ])('a %s is found by its name', async (_, create, get, argv) => {
    const { env } = await account();
    const id = ['--jq', '.id // .dashboardId'];
    const made = await well(create, [...argv, ...id], { env });
    expect((await well(get, ['the SHOP', ...id], { env })).stdout).toBe(made.stdout);
  });
});
