/** The body of a request as a user gives it: by flags, by `--set`, and in a file. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command as createBrowser } from '../../../commands/checks/create-browser.ts';
import { command as createDns } from '../../../commands/checks/create-dns.ts';
import { parseLine } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';

const BASE = ['--name', 'apex', '--query', 'example.com'];

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
    expect(stderr).toMatch(/check\.yaml:2 frequency must be one of 0, 1, 2, .*, not 7 \(did you mean 5\?\)/);
    expect(stderr).toMatch(/check\.yaml:5 .*"recordtype" is not a known field \(did you mean recordType\?\)/);
    expect(stderr).toMatch(/check\.yaml:8 .*not "mars"/);
  });

  it.each([
    ['a key that is there twice', 'name: a\nname: b\n', 'check.yaml:2:1 duplicate key'],
    ['text that is no YAML', 'name: [a\n', 'check.yaml:2:1 YAML:'],
    ['a list', '- a\n', 'check.yaml:1 must contain fields with values'],
    ['nothing', '', 'check.yaml:1 is empty: it must contain fields with values'],
    [
      'two documents',
      'name: a\n---\nname: b\n',
      'check.yaml:2:1 starts a second document (---); only one is allowed',
    ],
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
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, 'check.yaml'), Buffer.from('name: \xe9t\xe9\n', 'latin1'));
    const { code, stderr } = await parseLine(createDns, ['-f', 'check.yaml'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('check.yaml is not valid UTF-8');
  });

  it('refuses a file that is not there', async () => {
    const { code, stderr } = await parseLine(createDns, ['-f', 'nowhere.yaml']);
    expect(code).toBe(2);
    expect(stderr).toContain('cannot read nowhere.yaml: no such file');
  });
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
