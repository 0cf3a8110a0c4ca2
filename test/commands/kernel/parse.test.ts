/** From a command line to what `run` is given: everything that a user may type, and every way to get it wrong. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { command as createDns } from '../../../commands/checks/create-dns.ts';
import { argumentList, defineCommand, flag } from '../../../commands/kernel/index.ts';
import { command as getSession } from '../../../commands/sessions/get.ts';
import {
  createBrowserCheck,
  deleteSnippet,
  listMaintenanceWindows,
  updateErrorGroup,
} from '../../../src/contract/index.ts';
import { parseLine } from '../../support/command.ts';

const createBrowser = defineCommand({
  name: 'checks create-browser',
  summary: 'Create a browser check',
  endpoint: createBrowserCheck,
  examples: [],
  run: async () => {},
});
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

describe('flags of a body', () => {
  it('become the fields they are named after, in the types of the contract', async () => {
    const { invocation } = await parseLine(createDns, [
      ...BASE,
      ...['--frequency', '5', '--no-activated', '--muted', '--locations', 'eu-west-1,us-east-1'],
      ...['--degraded-response-time', '250', '--tags', 'a', '--tags', 'b', '--group-id', 'null'],
    ]);
    expect(invocation?.input).toEqual({
      body: {
        name: 'apex',
        request: { query: 'example.com' },
        heartbeat: {},
        script: '',
        frequency: 5,
        activated: false,
        muted: true,
        locations: ['eu-west-1', 'us-east-1'],
        degradedResponseTime: 250,
        tags: ['a', 'b'],
        groupId: null,
      },
    });
  });

  it('reach nested paths where the command names them, and all others by --set', async () => {
    const { invocation } = await parseLine(createDns, [
      ...BASE,
      ...['--record-type', 'MX', '--set', 'retryStrategy.maxRetries=3', '--set', 'tags[0]=web'],
      ...['--set', 'groupId=null', '--set', 'privateLocations=[]'],
    ]);
    expect(invocation?.input.body).toMatchObject({
      request: { query: 'example.com', recordType: 'MX' },
      retryStrategy: { maxRetries: 3 },
      tags: ['web'],
      groupId: null,
      privateLocations: [],
    });
  });

  it('read assertions, with and without a property or a target', async () => {
    const { invocation } = await parseLine(createDns, [
      ...BASE,
      ...['--assert', 'RESPONSE_CODE EQUALS NOERROR'],
      ...['--assert', 'json_answer($.Answer[0].data) contains 192.0.2. and more'],
      ...['--assert', 'TEXT_ANSWER NOT_EMPTY'],
    ]);
    expect(invocation?.input.body.request.assertions).toEqual([
      { source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NOERROR' },
      {
        source: 'JSON_ANSWER',
        property: '$.Answer[0].data',
        comparison: 'CONTAINS',
        target: '192.0.2. and more',
      },
      { source: 'TEXT_ANSWER', comparison: 'NOT_EMPTY' },
    ]);
  });

  it('read objects as pairs or JSON', async () => {
    const pairs = await parseLine(createDns, [...BASE, '--retry-strategy', 'type=LINEAR,maxRetries=3']);
    const json = await parseLine(createDns, [
      ...BASE,
      '--retry-strategy',
      '{"type": "LINEAR", "maxRetries": 3}',
    ]);
    expect(pairs.invocation?.input.body.retryStrategy).toEqual({ type: 'LINEAR', maxRetries: 3 });
    expect(json.invocation?.input.body.retryStrategy).toEqual({ type: 'LINEAR', maxRetries: 3 });
  });

  it('take variables from the line, the environment and a file, the line first', async () => {
    const { invocation } = await parseLine(
      createBrowser,
      ['--name', 'shop', '--script', '1', '--env', 'A=1', '--env', 'TOKEN', '--env-file', '.env'],
      {
        env: { TOKEN: 's3cret' },
        files: { '.env': '# local\nA=2\nexport B="two\\nlines"\nC=plain # why\n' },
      },
    );
    expect(invocation?.input.body.environmentVariables).toEqual([
      { key: 'A', value: '1' },
      { key: 'B', value: 'two\nlines' },
      { key: 'C', value: 'plain' },
      { key: 'TOKEN', value: 's3cret' },
    ]);
  });

  it('read a script from a file', async () => {
    const { invocation } = await parseLine(
      createBrowser,
      ['--name', 'shop', '--script-file', 'shop.spec.ts'],
      {
        files: { 'shop.spec.ts': 'test();\n' },
      },
    );
    expect(invocation?.input.body.script).toBe('test();\n');
  });
});

describe('-f', () => {
  it('takes YAML or JSON, and flags override it', async () => {
    const yaml = 'name: from file\nrequest:\n  query: example.org\n  recordType: AAAA\n';
    const { invocation } = await parseLine(createDns, ['-f', 'check.yaml', '--query', 'example.com'], {
      files: { 'check.yaml': yaml },
    });
    expect(invocation?.input.body).toMatchObject({
      name: 'from file',
      request: { query: 'example.com', recordType: 'AAAA' },
    });
  });

  it('reads stdin', async () => {
    const { invocation } = await parseLine(createDns, ['-f', '-'], {
      input: '{"name": "piped", "request": {"query": "example.com"}}',
    });
    expect(invocation?.input.body.name).toBe('piped');
  });

  it('names the line of every problem', async () => {
    const yaml =
      'name: x\nfrequency: 7\nrequest:\n  query: example.com\n  recordtype: A\nlocations:\n  - eu-west-1\n  - mars\n';
    const { code, stderr } = await parseLine(createDns, ['-f', 'check.yaml'], {
      files: { 'check.yaml': yaml },
    });
    expect(code).toBe(2);
    expect(stderr).toContain('3 problems');
    expect(stderr).toMatch(/check\.yaml:2 frequency must be one of 0, 1, 2, .*, not 7; did you mean 5\?/);
    expect(stderr).toMatch(
      /check\.yaml:5 .*"recordtype" is not a field that is known here; did you mean recordType\?/,
    );
    expect(stderr).toMatch(/check\.yaml:8 .*not "mars"/);
  });

  it.each([
    ['a key that is there twice', 'name: a\nname: b\n', 'check.yaml:2 a key is there twice'],
    ['text that is no YAML', 'name: [a\n', 'check.yaml:2 YAML:'],
    ['a list', '- a\n', 'check.yaml:1 must hold fields with their values'],
    ['nothing', '', 'check.yaml:1 is empty: it must hold fields with their values'],
    ['two documents', 'name: a\n---\nname: b\n', 'check.yaml:2 begins a second document (---); give one'],
  ])('refuses %s', async (_what, text, said) => {
    const { code, stderr } = await parseLine(createDns, ['-f', 'check.yaml'], {
      files: { 'check.yaml': text },
    });
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });

  it('says of a line that cannot be read only where that begins', async () => {
    const { stderr } = await parseLine(createDns, ['-f', 'check.yaml'], {
      files: { 'check.yaml': `name: ${'['.repeat(500)}` },
    });
    expect(stderr.split('\n').filter((line) => line.includes('check.yaml:1'))).toHaveLength(1);
  });

  it('refuses a file whose letters would be lost', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'sonde-parse-'));
    onTestFinished(() => rm(cwd, { recursive: true }));
    await writeFile(join(cwd, 'check.yaml'), Buffer.from('name: \xe9t\xe9\n', 'latin1'));
    const { code, stderr } = await parseLine(createDns, ['-f', 'check.yaml'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('check.yaml is not UTF-8 text');
  });

  it('refuses a file that is not there', async () => {
    const { code, stderr } = await parseLine(createDns, ['-f', 'nowhere.yaml']);
    expect(code).toBe(2);
    expect(stderr).toContain('nowhere.yaml cannot be read: there is no such file');
  });
});

describe('problems', () => {
  it('are all told at once, each with its flag, what is allowed and what is nearest', async () => {
    const { code, stderr } = await parseLine(
      createDns,
      [
        ...['--frequency', '7', '--locations', 'eu-wst-1', '--max-response-time', 'soon', '--timeout', '1'],
      ].slice(0, 6),
    );
    expect(code).toBe(2);
    expect(stderr).toContain('--name is required');
    expect(stderr).toContain('--query is required');
    expect(stderr).toMatch(/--frequency must be one of .*, not 7; did you mean 5\?/);
    expect(stderr).toMatch(/--locations .*not "eu-wst-1"; did you mean eu-west-1\?/);
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
    expect(stderr).toContain('missing: --name, --query');
  });

  it('suggest the flag that was meant', async () => {
    const { code, stderr } = await parseLine(createDns, ['--frequncy', '5']);
    expect(code).toBe(2);
    expect(stderr).toContain('--frequncy is no option here; did you mean --frequency?');
  });

  it('are told together with options that there are not, each once', async () => {
    const { code, stderr } = await parseLine(createDns, [
      ...['--name', 'x', '--frequncy', '5', '--locations', 'mars', '--boguss=1', '--query'],
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('--frequncy is no option here; did you mean --frequency?');
    expect(stderr.split('--boguss is no option here')).toHaveLength(2);
    expect(stderr).toContain('--query needs a value');
    expect(stderr).toMatch(/--locations .*not "mars"/);
    expect(stderr).not.toContain('--name is required');
  });

  it('hold nothing against the word after an option that there is not: it may be its value', async () => {
    const { code, stderr } = await parseLine(getSession, ['--bogus', 'x']);
    expect(code).toBe(2);
    expect(stderr).toBe('Error: --bogus is no option here\n--help lists the options\n');
  });

  it('name the arguments that are too many, and no values of options', async () => {
    const { code, stderr } = await parseLine(listWindows, ['--limit', '5', 'more']);
    expect(code).toBe(2);
    expect(stderr).toContain('"more" is more than is taken here');
    expect(stderr).not.toContain('5');
  });

  it('come with what the service will probably refuse', async () => {
    const { stderr } = await parseLine(createDns, [...BASE, '--record-type', 'AAA', '--frequency', '7']);
    expect(stderr).toContain('2 problems');
    expect(stderr).toMatch(/--record-type .*not "AAA": the service will probably refuse it/);
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

describe('what only our reading of the specification forbids', () => {
  it('is sent all the same, with a warning', async () => {
    const { code, invocation, stderr } = await parseLine(createDns, [
      ...BASE,
      '--port',
      '70000',
      '--name-server',
      'x',
    ]);
    expect(code).toBe(0);
    expect(invocation?.input.body.request.port).toBe(70000);
    expect(stderr).toMatch(/Warning: --port must be at most 65535, not 70000/);
  });
});

describe('deprecated fields', () => {
  it('are sent with a warning that names the way on', async () => {
    const { code, stderr } = await parseLine(createDns, [...BASE, '--no-double-check']);
    expect(code).toBe(0);
    expect(stderr).toContain('Warning: --double-check is deprecated; use --retry-strategy instead');
  });
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
    expect(stderr).toContain('<id> is required');
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
    expect(stderr).toContain('stdin held none');
  });

  it('that are too many are refused', async () => {
    expect((await parseLine(getSession, [ID, ID])).code).toBe(2);
  });

  it('are each judged', async () => {
    const { code, stderr } = await parseLine(deleteSnippets, ['7', 'x']);
    expect(code).toBe(2);
    expect(stderr).toContain('<ids> x must be a whole number');
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
