/** Checks listed, shown, changed, paused and deleted: of both types, and of nothing more than was said. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { command as createBrowser } from '../../../commands/checks/create-browser.ts';
import { command as createDns } from '../../../commands/checks/create-dns.ts';
import { command as remove } from '../../../commands/checks/delete.ts';
import { command as get } from '../../../commands/checks/get.ts';
import { command as list } from '../../../commands/checks/list.ts';
import { command as pause } from '../../../commands/checks/pause.ts';
import { command as resume } from '../../../commands/checks/resume.ts';
import { command as update } from '../../../commands/checks/update.ts';
import { envOf, well } from '../../cli/resources/journey.ts';
import { runLine } from '../../support/command.ts';
import { askedLine } from '../../support/person.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let env: Readonly<Record<string, string>>;
let dns: string;
let browser: string;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  const { apiKey } = await service.newAccount();
  env = { ...envOf(service), SONDE_API_KEY: apiKey };
  const id = async (command: typeof createDns | typeof createBrowser, ...argv: string[]) =>
    (await well(command, [...argv, '--jq', '.id'], { env })).stdout.trim();
  const server = ['--name-server', '192.0.2.1', '--port', '53'];
  const flags = ['--assert', 'RESPONSE_CODE EQUALS NOERROR', '--tags', 'a,b', '--no-run-parallel'];
  // Once a day: neither check runs during a test, however slow the machine is.
  const daily = ['--frequency', '1440'];
  dns = await id(createDns, '--name', 'Apex', '--query', 'example.com', ...server, ...flags, ...daily);
  browser = await id(createBrowser, '--name', 'Login', '--script', 'one()', '--env', 'USER=me', ...daily);
});

const shown = async (id: string) => JSON.parse((await well(get, [id, '--json'], { env })).stdout);
const changed = async (id: string, ...argv: string[]) => {
  const { updated_at: _before, nextRunAt: _ran, ...before } = await shown(id);
  const outcome = await well(update, [id, ...argv], { env });
  const { updated_at: _after, nextRunAt: _runs, ...after } = await shown(id);
  return { before, after, ...outcome };
};

describe('checks update', () => {
  it('changes what is given of a DNS check, and loses nothing of what it looks up', async () => {
    const { before, after, stderr } = await changed(dns, '--record-type', 'AAAA', '--tags', 'a');
    expect(after).toEqual({ ...before, tags: ['a'], request: { ...before.request, recordType: 'AAAA' } });
    expect(stderr).toContain('-  recordType: A\n+  recordType: AAAA\n');
  });

  it('takes a field away where null says so', async () => {
    const { before, after } = await changed(
      dns,
      '--set',
      'request.nameServer=null',
      '--set',
      'request.port=null',
    );
    const { nameServer: _server, port: _port, ...request } = before.request;
    expect(after.request).toEqual(request);
  });

  it('changes a browser check, and keeps its variables', async () => {
    const { before, after } = await changed(browser, '--frequency', '15', '--script', 'two()');
    expect(after).toEqual({ ...before, frequency: 15, script: 'two()' });
  });

  it('lets the deployment choose the offset of another frequency', async () => {
    await changed(dns, '--frequency-offset', '24', '--no-activated');
    const { after, stderr } = await changed(dns, '--frequency', '1');
    expect(stderr).toContain('-frequency: 1440\n-frequencyOffset: 24\n+frequency: 1\n');
    expect(after.frequency).toBe(1);
    expect(after.frequencyOffset).toBeLessThanOrEqual(10);
    const { after: both } = await changed(dns, '--frequency', '0', '--frequency-offset', '20');
    expect(both).toMatchObject({ frequency: 0, frequencyOffset: 20 });
  });

  it('takes what get printed, and sends nothing where that is so already', async () => {
    for (const id of [dns, browser]) {
      const printed = await well(get, [id, '-o', 'yaml'], { env });
      const { stderr } = await well(update, [id, '-f', '-'], { env, input: printed.stdout });
      expect(stderr).toContain(`No changes. The check ${id} is up to date.`);
    }
  });

  it('refuses what the type of the check does not take, before anything is sent', async () => {
    const often = await runLine(update, [browser, '--frequency', '0'], { env });
    expect(often).toMatchObject({ code: 2, stderr: expect.stringContaining('frequency must be one of 1,') });
    const looksUp = await runLine(update, [browser, '--query', 'example.com'], { env });
    expect(looksUp).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('request is not a known field'),
    });
    const target = await runLine(update, [dns, '--assert', 'RESPONSE_TIME LESS_THAN soon'], { env });
    expect(target).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be a number of milliseconds'),
    });
    const never = await runLine(update, [dns, '--frequency', '7'], { env });
    expect(never).toMatchObject({ code: 2, stderr: expect.stringContaining('--frequency must be one of') });
  });

  it('asks a person after showing the difference, and changes nothing for a no', async () => {
    const outcome = await askedLine(update, [dns, '--name', 'Other'], { env }, ['Apply this change?', 'n\n']);
    expect(outcome.code).toBe(9);
    expect(outcome.stderr).toContain('name: Other');
    expect((await shown(dns)).name).toBe('Apex');
  });
});

describe('checks', () => {
  it('are listed with how they stand, by each filter', async () => {
    const names = async (...argv: string[]) =>
      (await well(list, [...argv, '--jq', '.[].name'], { env })).stdout;
    expect((await names()).trim().split('\n').sort()).toEqual(['Apex', 'Login']);
    expect(await names('--tag', 'b')).toBe('Apex\n');
    expect(await names('--check-type', 'BROWSER')).toBe('Login\n');
    expect(await names('--search', 'pex')).toBe('Apex\n');
    expect(await names('--status', 'failing')).toBe('');
    await service.store.checks.setStatus([dns], 'failing');
    expect(await names('--status', 'failing')).toBe('Apex\n');
    const { stdout } = await well(list, ['--fields', 'name,status,activated', '--tag', 'a'], { env });
    expect(stdout).toBe('Apex\tfailing\ttrue\n');
    const seen = await runLine(list, ['--no-color'], { env, isTTY: true, columns: 120 });
    expect(seen.stdout).toMatch(/✗? ?failing +Apex +DNS +1d +(?:in \S+|now)/);
  });

  it('rest and run again, several at once, with ids from stdin', async () => {
    const paused = await well(pause, ['-', '--json'], { env, input: `${dns}\n${browser}\n` });
    expect(JSON.parse(paused.stdout).map(({ activated }: { activated: boolean }) => activated)).toEqual([
      false,
      false,
    ]);
    expect(await shown(dns)).toMatchObject({
      activated: false,
      nextRunAt: null,
      name: 'Apex',
      tags: ['a', 'b'],
    });
    const again = await well(resume, [dns, '--json'], { env });
    expect(JSON.parse(again.stdout)).toMatchObject({ activated: true, nextRunAt: expect.any(String) });
    const missing = '00000000-0000-4000-8000-000000000000';
    const partly = await runLine(pause, [missing, dns], { env });
    expect(partly.code).toBe(5);
    expect((await shown(dns)).activated).toBe(false);
  });

  it('go after a question that names them', async () => {
    const { code, stderr } = await askedLine(remove, [dns], { env }, [
      `Delete the check ${dns}? You cannot undo this.`,
      'y\n',
    ]);
    expect({ code, named: stderr.includes('Apex, DNS') }).toEqual({ code: 0, named: true });
    expect((await runLine(get, [dns], { env })).code).toBe(5);
  });
});
