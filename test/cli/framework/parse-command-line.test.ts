/** From a command line to what `run` is given: what is wrong with it, and its queries, arguments and global options. */
import { describe, expect, it } from 'vitest';
import { command as createBrowser } from '../../../commands/checks/create-browser.ts';
import { command as createDns } from '../../../commands/checks/create-dns.ts';
import { command as createHeartbeat } from '../../../commands/checks/create-heartbeat.ts';
import { command as getSession } from '../../../commands/sessions/get.ts';
import { argumentList, defineCommand, flag } from '../../../src/cli/framework/index.ts';
import { deleteSnippet, listMaintenanceWindows, updateErrorGroup } from '../../../src/contract/index.ts';
import { parseLine } from '../../support/command.ts';

const listWindows = defineCommand({
  name: 'maintenance list',
  summary: 'List windows',
  endpoint: listMaintenanceWindows,
  examples: [],
  run: async () => {},
});
const deleteSnippets = defineCommand({
  name: 'delete snippet',
  summary: 'Delete snippets',
  endpoint: deleteSnippet,
  arguments: { ids: argumentList('Ids', { param: 'id' }) },
  options: { ignoreMissing: flag('Take what is gone for deleted') },
  examples: [],
  run: async () => {},
});

const BASE = ['--name', 'apex', '--query', 'example.com'];
const ID = '0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10';

describe('problems', () => {
  it('are all told at once, each with its flag, what is allowed and what is nearest', async () => {
    const { code, stderr } = await parseLine(
      createDns,
      [
        ...['--frequency', '7', '--locations', 'eu-wst-1', '--max-response-time', 'soon', '--timeout', '1'],
      ].slice(0, 6),
    );
    expect(code).toBe(2);
    expect(stderr).toContain('required flag: --name');
    expect(stderr).toContain('required flag: --query');
    expect(stderr).toMatch(/--frequency must be one of .*, not 7 \(did you mean 5\?\)/);
    expect(stderr).toMatch(/--locations .*not "eu-wst-1" \(did you mean eu-west-1\?\)/);
    expect(stderr).toMatch(/--max-response-time must be a number or null, not "soon"/);
  });

  it('are one JSON object on stderr with --json, and stdout stays empty', async () => {
    const { code, stdout, stderr } = await parseLine(createDns, [
      '--query',
      'example.com',
      '--frequency',
      '7',
      '--json',
    ]);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({ kind: 'usage', status: null, endpoint: null, requestId: null });
    expect(error.details.map(({ place }: { place: string }) => place).sort()).toEqual([
      '--frequency',
      '--name',
    ]);
    expect(error.details).toContainEqual(expect.objectContaining({ place: '--frequency', nearest: '5' }));
  });

  it('name the flags that are missing', async () => {
    const { code, stderr } = await parseLine(createDns, []);
    expect(code).toBe(2);
    expect(stderr).toContain('required flags: --name, --query');
  });

  it('suggest the flag that was meant', async () => {
    const { code, stderr } = await parseLine(createDns, ['--frequncy', '5']);
    expect(code).toBe(2);
    expect(stderr).toContain('unknown flag: --frequncy (did you mean --frequency?)');
  });

  it('are told together with options that there are not, each once', async () => {
    const { code, stderr } = await parseLine(createDns, [
      ...['--name', 'x', '--frequncy', '5', '--locations', 'mars', '--boguss=1', '--query'],
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('unknown flag: --frequncy (did you mean --frequency?)');
    expect(stderr.split('unknown flag: --boguss')).toHaveLength(2);
    expect(stderr).toContain('flag needs a value: --query');
    expect(stderr).toMatch(/--locations .*not "mars"/);
    expect(stderr).not.toContain('required flag: --name');
  });

  it('are told of an option without its value, also where nothing else is wrong', async () => {
    const { code, stderr } = await parseLine(createDns, ['--name', 'x', '--query']);
    expect(code).toBe(2);
    expect(stderr).toContain('Error: flag needs a value: --query\n');
  });

  it('hold nothing against the word after an option that there is not: it may be its value', async () => {
    const { code, stderr } = await parseLine(getSession, ['--bogus', 'x']);
    expect(code).toBe(2);
    expect(stderr).toBe('Error: unknown flag: --bogus\nfor usage, run: sonde sessions get --help\n');
  });

  it('name the arguments that are too many, and no values of options', async () => {
    const { code, stderr } = await parseLine(listWindows, ['--limit', '5', 'more']);
    expect(code).toBe(2);
    expect(stderr).toContain('unexpected argument: "more"');
    expect(stderr).not.toContain('5');
  });

  it('come with what the service will probably refuse', async () => {
    const { stderr } = await parseLine(createDns, [...BASE, '--record-type', 'AAA', '--frequency', '7']);
    expect(stderr).toContain('2 problems');
    expect(stderr).toMatch(/--record-type .*not "AAA" \(the service will probably reject this\)/);
    const portless = await parseLine(createDns, [...BASE, '--name-server', '192.0.2.1', '--frequency', '7']);
    expect(portless.stderr).toContain('--port is required (the service will probably reject this)');
  });

  it.each([
    ['--cron', 'bad', /^Error: --cron must have five fields .*such as "30 2 \* \* \*"/],
    [
      '--cron',
      '99 2 * * *',
      /^Error: --cron is not a cron expression: .*99; use one such as "30 2 \* \* \*"/,
    ],
    ['--timezone', 'Mars/X', /^Error: --timezone must be an IANA time zone/],
  ])('refuse a schedule of a heartbeat that no service can follow: %s %s', async (flag, value, message) => {
    const line = [
      '--name',
      'Backup',
      '--cron',
      '30 2 * * *',
      '--grace',
      '1',
      '--grace-unit',
      'hours',
      flag,
      value,
    ];
    const { code, stderr } = await parseLine(createHeartbeat, line);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it.each([
    ['1000000h', 'must be at most 24d'],
    ['0s', 'must be more than 0'],
  ])('refuse a time that no timer holds: %s', async (time, said) => {
    const { code, stderr } = await parseLine(createDns, [...BASE, '--request-timeout', time]);
    expect(code).toBe(2);
    expect(stderr).toContain(`--request-timeout ${said}`);
  });

  it('do not repeat a variable whose name was forgotten', async () => {
    const { code, stderr } = await parseLine(createBrowser, [
      '--name',
      'x',
      '--script',
      '1',
      '--env',
      'hunter2',
    ]);
    expect(code).toBe(2);
    expect(stderr).not.toContain('hunter2');
  });

  it.each(['constructor.x=1', '__proto__.x=1', 'a..b=1', 'name', 'tags[5]=x'])(
    'refuse --set %s',
    async (text) => {
      const { code, stderr } = await parseLine(createDns, [...BASE, '--set', text]);
      expect(code).toBe(2);
      expect(stderr).toContain('--set');
    },
  );
});

describe('queries', () => {
  it('take filter objects as a comparison and its date', async () => {
    const { invocation } = await parseLine(listWindows, [
      '--starts-at',
      'gte=2026-11-21',
      '--limit',
      '5',
      '--all',
    ]);
    expect(invocation?.input).toEqual({ query: { startsAt: { gte: '2026-11-21' }, limit: 5 } });
    expect(invocation?.all).toBe(true);
  });

  it('are judged', async () => {
    const { code, stderr } = await parseLine(listWindows, ['--starts-at', 'gte=tomorrow', '--limit', '500']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--starts-at startsAt\.gte must be a date/);
    expect(stderr).toContain('--limit must be at most 100, not 500');
  });
});

describe('arguments', () => {
  it('fill the path, coerced and judged', async () => {
    const { code, stderr } = await parseLine(getSession, ['no-uuid']);
    expect(code).toBe(2);
    expect(stderr).toContain('<id> must be a UUID, not "no-uuid"');
  });

  it('are asked for by the name that help gives them', async () => {
    const { code, stderr } = await parseLine(getSession, []);
    expect(code).toBe(2);
    expect(stderr).toContain('required argument: <id>');
    expect(stderr).not.toContain('checkSessionId');
  });

  it('may be many: one input each, in order', async () => {
    const { invocation } = await parseLine(deleteSnippets, ['7', '9', '--ignore-missing']);
    expect(invocation?.inputs).toEqual([{ params: { id: 7 } }, { params: { id: 9 } }]);
    expect(invocation?.many).toBe(true);
    expect(invocation?.options.ignoreMissing).toBe(true);
  });

  it('come from stdin with -', async () => {
    const { invocation } = await parseLine(deleteSnippets, ['-'], { input: '7\n\n  9 \n' });
    expect(invocation?.inputs).toEqual([{ params: { id: 7 } }, { params: { id: 9 } }]);
  });

  it('answer as a list when one came from stdin, and as one when it was typed', async () => {
    expect((await parseLine(deleteSnippets, ['-'], { input: '7' })).invocation?.many).toBe(true);
    expect((await parseLine(deleteSnippets, ['7'])).invocation?.many).toBe(false);
  });

  it('that stdin did not hold are a usage error', async () => {
    const { code, stderr } = await parseLine(deleteSnippets, ['-'], { input: '\n' });
    expect(code).toBe(2);
    expect(stderr).toContain('stdin was empty');
  });

  it('that are too many are refused', async () => {
    expect((await parseLine(getSession, [ID, ID])).code).toBe(2);
  });

  it('are each judged', async () => {
    const { code, stderr } = await parseLine(deleteSnippets, ['7', 'x']);
    expect(code).toBe(2);
    expect(stderr).toBe(
      'Error: <ids> must be a whole number, not "x"\nfor usage, run: sonde delete snippet --help\n',
    );
  });
});

describe('global options', () => {
  it('are read with their units', async () => {
    const { invocation } = await parseLine(getSession, [
      ID,
      ...['--request-timeout', '1m30s', '--retry-budget', '500ms', '--yes', '--utc', '-o', 'yaml'],
    ]);
    expect(invocation?.globals).toMatchObject({
      requestTimeout: 90_000,
      retryBudget: 500,
      yes: true,
      input: true,
    });
    expect(invocation?.output).toEqual({ format: 'yaml', utc: true });
  });

  it('are judged together with everything else', async () => {
    const { code, stderr } = await parseLine(getSession, ['x', '--retry-budget', '5', '-o', 'xml']);
    expect(code).toBe(2);
    expect(stderr).toContain('<id> must be a UUID');
    expect(stderr).toContain('--retry-budget must be a duration such as 500ms');
    expect(stderr).toContain('--output');
  });
});

describe('error groups', () => {
  it('need no flag that the endpoint does not require', async () => {
    const update = defineCommand({
      name: 'error-groups update',
      summary: 'Update',
      endpoint: updateErrorGroup,
      arguments: { id: argumentList('Ids', { param: 'id' }) },
      examples: [],
      run: async () => {},
    });
    const { invocation } = await parseLine(update, ['eg-1', '--archive-for-ever']);
    expect(invocation?.input).toEqual({ params: { id: 'eg-1' }, body: { archiveForEver: true } });
  });
});
