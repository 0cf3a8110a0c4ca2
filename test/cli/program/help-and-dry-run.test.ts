/** What a command prints instead of doing its work: help, examples, dry runs. */
import { describe, expect, it } from 'vitest';
import { command as createBrowser } from '../../../commands/checks/create-browser.ts';
import { command as createDns } from '../../../commands/checks/create-dns.ts';
import { command as updateCheck } from '../../../commands/checks/update.ts';
import { command as updateIncident } from '../../../commands/incidents/update.ts';
import { command as login } from '../../../commands/login.ts';
import { command as listMaintenance } from '../../../commands/maintenance/list.ts';
import { command as updateService } from '../../../commands/services/update.ts';
import { command as getSession } from '../../../commands/sessions/get.ts';
import { command as putStatusPage } from '../../../commands/status-pages/put.ts';
import type { Command } from '../../../src/cli/framework/types.ts';
import { parseLine, runLine } from '../../support/command.ts';

describe('--help', () => {
  it('says on stdout what is taken, with defaults, bounds and values, and ends with 0', async () => {
    const { code, stdout, stderr } = await runLine(createDns, ['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Usage: sonde checks create-dns [flags]');
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      '--degraded-response-time <number> Response time, in milliseconds, at which the check is degraded (0 to 5000 ms; default 500)',
    );
  });

  it('tells what must be given first, groups the fields, and only names what is seldom needed', async () => {
    const { stdout } = await runLine(createDns, ['--help']);
    const headings = [...stdout.matchAll(/^([A-Z][\w ]+):$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([
      'Examples',
      'Required flags',
      ...Object.keys(createDns.flags?.groups ?? {}),
      'Less common flags',
      'Request body',
    ]);
    expect(stdout).toMatch(
      /Required flags:\n {2}--name <text> +Name of the check \(1 to 255 characters\)\n {2}--query/,
    );
    expect(stdout).not.toContain('no effect on DNS checks');
    expect(stdout).toContain('sonde help locations');
    expect(stdout).not.toContain('ap-southeast-3');
  });

  it('names the keys of flags that take an object', async () => {
    const helpOf = async (command: Command) =>
      (await runLine(command, ['--help'])).stdout.replace(/\s+/g, ' ');
    const dns = await helpOf(createDns);
    expect(dns).toContain(
      '--retry-strategy <type=…,baseBackoffSeconds=…,…> Retry strategy for failed runs; null: no retries ' +
        '(keys: type, baseBackoffSeconds, sameRegion, maxRetries, maxDurationSeconds, onlyOn)',
    );
    expect(dns).toContain(
      '--alert-channel-subscriptions <alertChannelId=…,activated=…> Subscriptions to alert channels --',
    );
    expect(dns).toContain('--heartbeat <json>');
    expect(await helpOf(listMaintenance)).toContain('--starts-at <gt|gte|lt|lte=value>');
  });

  it('leads to the flags of every command with one line, which lists none with its meaning', async () => {
    for (const command of [createDns, getSession, putStatusPage]) {
      const { stdout } = await runLine(command, ['--help']);
      expect(stdout.match(/sonde help options/g)).toHaveLength(1);
      expect(stdout).not.toMatch(/--retry-budget|--no-color|SONDE_/);
    }
  });

  it('shows at most three examples, before the flags', async () => {
    for (const command of [createDns, login]) {
      const { stdout } = await runLine(command, ['--help']);
      expect(stdout.match(/^ {2}(?:\S.*\| )?sonde .*$/gm)).toHaveLength(3);
      expect(stdout.indexOf('Examples:')).toBeLessThan(stdout.search(/^(?:Required flags|Flags):/m));
    }
  });

  it('calls no flag of an update required', async () => {
    for (const command of [updateCheck, updateIncident, updateService]) {
      const { stdout } = await runLine(command, ['--help']);
      expect(stdout).not.toMatch(/required flags|\brequired[;)]/i);
    }
  });

  it.each([
    [['--nonsense', '--help', '--frequency', 'never']],
    [['--name', '--help']],
    [['-f', 'no-such-file', '-h']],
    [['--name', 'x', 'one', 'too', 'many', '--help']],
  ])('is given wherever it is asked for: %j', async (argv) => {
    const { code, stdout, stderr } = await runLine(createDns, argv);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Usage: sonde checks create-dns');
  });

  it('is no option behind --, nor where it is written as a value', async () => {
    expect((await runLine(getSession, ['--', '--help'])).code).toBe(2);
    const { invocation } = await parseLine(createDns, ['--name=--help', '--query', 'a.example']);
    expect(invocation?.input.body.name).toBe('--help');
  });

  it('needs no profile, and no file of profiles that can be read', async () => {
    const env = { XDG_CONFIG_HOME: '/dev/null', SONDE_PROFILE: 'none' };
    expect(await runLine(getSession, ['--help'], { env })).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([40, 60, 80, 120])('fits %i columns', async (columns) => {
    const { stdout } = await runLine(getSession, ['--help', '--no-color'], { isTTY: true, columns });
    const prose = stdout.split('\n').filter((line) => !/^\s+(sonde|#)|^Usage|--\S+ </.test(line));
    expect(Math.max(...prose.map((line) => line.length))).toBeLessThanOrEqual(columns);
  });
});

describe('--example', () => {
  it.each([
    ['checks create-dns', createDns],
    ['checks create-browser', createBrowser],
  ])('of %s is accepted by -f, as it stands and with every field set', async (_name, command: Command) => {
    const { code, stdout } = await runLine(command, ['--example']);
    expect(code).toBe(0);
    const whole = stdout.replace(/^#(?=(?: {2})*(?:- )?\w+:)/gm, '');
    const fields: readonly string[] = Object.keys(command.endpoint?.body?.properties ?? {});
    for (const text of [stdout, whole]) {
      const parsed = await parseLine(command, ['-f', 'body.yaml'], { files: { 'body.yaml': text } });
      expect(parsed.stderr.replace(/^Warning: .*\n/gm, '')).toBe('');
      expect(parsed.code).toBe(0);
      const given = Object.keys(parsed.invocation?.input?.body ?? {});
      expect(given.length).toBe(
        text === whole ? fields.length : 2 + Object.keys(command.flags?.fill ?? {}).length,
      );
    }
  });

  it('of a status page speaks of a page, and sends no empty id', async () => {
    const { stdout } = await runLine(putStatusPage, ['--example']);
    const { invocation } = await parseLine(
      putStatusPage,
      ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '-f', 'body.yaml'],
      {
        files: { 'body.yaml': stdout },
      },
    );
    expect(invocation?.input?.body).toEqual({
      name: 'My page',
      url: 'my-slug',
      cards: [{ name: 'My card' }],
    });
  });
});

describe('--dry-run', () => {
  const BASE = ['--name', 'shop', '--script', 'x', '--dry-run'];

  it('prints the request with its secrets hidden, and needs neither profile nor service', async () => {
    const { code, stdout } = await runLine(createBrowser, [...BASE, '--env', 'TOKEN=hunter2', '--json']);
    expect(code).toBe(0);
    expect(stdout).not.toContain('hunter2');
    expect(JSON.parse(stdout)).toMatchObject({
      method: 'POST',
      url: expect.stringMatching(/\/v1\/checks\/browser$/),
      body: { name: 'shop', script: 'x', environmentVariables: [{ key: 'TOKEN', value: '***' }] },
    });
  });

  it.each([
    [['--jq', '.body.name'], /^shop\n$/],
    [['--fields', 'method,url', '--json'], /^\{"method":"POST","url":"[^"]+"\}\n$/],
    [['--fields', 'method'], /^method\tPOST\n$/],
    [['-o', 'yaml'], /^method: POST\nurl: .*\nheaders:\n/],
    [['-o', 'table'], /^POST https:/],
  ])('applies %j to the request, as to a result', async (flags, expected) => {
    const { code, stdout, stderr } = await runLine(createBrowser, [...BASE, ...flags]);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(expected);
  });

  it('refuses a field that the request does not have', async () => {
    const { code, stderr } = await runLine(createBrowser, [...BASE, '--fields', 'nothing']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('nothing')]);
  });

  it('sends nothing', async () => {
    const env = { SONDE_BASE_URL: 'http://127.0.0.1:9', SONDE_API_KEY: 'k' };
    const { code, stdout, stderr } = await runLine(createBrowser, BASE, { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^POST http:\/\/127\.0\.0\.1:9\/v1\/checks\/browser\n/);
  });
});
