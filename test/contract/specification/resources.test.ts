/** Walks the specification's resources row by row: every field, type, default and bound stands in the contract. */
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../src/contract/endpoint.ts';
import * as table from '../../../src/contract/endpoints/index.ts';
import { asJson, expectBounds, expectType, fieldAt } from './fields.ts';
import { rowsOf, sectionOf } from './markdown.ts';

const endpoints = { ...table };
const body = (name: keyof typeof endpoints) => asJson(endpoints[name].body);
const answer = (name: keyof typeof endpoints) => asJson(endpoints[name].response.schema);
const item = (schema: JsonSchema): JsonSchema => schema.items ?? {};

const dns = { request: body('createDnsCheck'), response: answer('createDnsCheck') };
const browser = { request: body('createBrowserCheck'), response: answer('createBrowserCheck') };
const group = { request: body('updateCheckGroup'), response: answer('updateCheckGroup') };
const page = { request: body('updateStatusPage'), response: answer('getStatusPage') };

/** Where docs/gaps.md adds null to a type. */
const BEYOND: Readonly<Record<string, readonly string[]>> = { retryStrategy: ['null'] };

describe('shared objects', () => {
  test.each(rowsOf('alertSettings'))('alertSettings.%s is %s', (path, type) => {
    for (const owner of [dns.request, browser.request, group.request]) {
      expectType(fieldAt(owner, `alertSettings.${path}`), String(type));
    }
  });
  test.each(rowsOf('retryStrategy'))('retryStrategy.%s is %s', (path, type) => {
    for (const owner of [dns.request, browser.request, group.request]) {
      expectType(fieldAt(owner, `retryStrategy.${path}`), String(type));
    }
  });
  test('retryStrategy is the literal FALLBACK or an object for a group, an object for checks', () => {
    expectType(fieldAt(group.request, 'retryStrategy'), 'object or FALLBACK', ['null']);
    expectType(fieldAt(dns.request, 'retryStrategy'), 'object', ['null']);
  });
  test.each(rowsOf('triggerIncident'))('triggerIncident.%s is %s', (path, type) => {
    expectType(fieldAt(dns.request, `triggerIncident.${path}`), String(type));
    expectType(fieldAt(browser.request, `triggerIncident.${path}`), String(type));
  });
  test.each(rowsOf('alertChannels'))('alertChannels.%s holds %s', (member, words) => {
    for (const response of [dns.response, browser.response]) {
      for (const name of String(words)
        .replaceAll(/\([^)]*\)|arrays of .*/g, ' ')
        .match(/\w+/g)
        ?.filter((word) => word !== 'and') ?? []) {
        expect(fieldAt(response, `alertChannels.${member}.${name}`), name).toBeDefined();
      }
    }
  });
  test('a webhook’s headers and queryParameters are arrays of key, value, locked', () => {
    for (const list of ['headers', 'queryParameters']) {
      const field = fieldAt(dns.response, `alertChannels.webhook.${list}`);
      expectType(field, 'object[]');
      expect(Object.keys(field?.items?.properties ?? {})).toEqual(['key', 'value', 'locked']);
    }
  });
  test.each([
    ['alertChannelSubscriptions', { alertChannelId: 'number', activated: 'boolean' }],
    ['environmentVariables', { key: 'string', value: 'string', locked: 'boolean', secret: 'boolean' }],
  ])('%s items hold what the sentence says', (field, types) => {
    const sentence =
      sectionOf('Shared objects').prose +
      sectionOf('alertChannelSubscriptions').prose +
      sectionOf('environmentVariables').prose;
    for (const [name, type] of Object.entries(types)) {
      expect(sentence).toContain(`\`${name}\` (${type})`);
      for (const owner of [dns.request, browser.request, group.request]) {
        expectType(fieldAt(owner, `${field}.${name}`), type);
      }
    }
  });
  test('environmentVariables may be null and hold at most 100 items', () => {
    for (const owner of [dns.request, browser.request, group.request]) {
      expectType(fieldAt(owner, 'environmentVariables'), 'object[] or null');
      expect(fieldAt(owner, 'environmentVariables')?.maxItems).toBe(100);
    }
  });
  test('assertions hold source, comparison and target as strings, wherever they stand', () => {
    for (const list of [
      fieldAt(dns.request, 'request.assertions'),
      fieldAt(group.request, 'apiCheckDefaults.assertions'),
    ]) {
      for (const name of ['source', 'comparison', 'target'])
        expectType(list?.items?.properties?.[name], 'string');
    }
    expect(fieldAt(group.request, 'apiCheckDefaults.assertions.source')?.enum).toContain('STATUS_CODE');
    expect(fieldAt(dns.request, 'request.assertions.source')?.enum).toContain('RESPONSE_CODE');
    expect(fieldAt(dns.request, 'request.assertions.comparison')?.enum).toEqual(
      expect.arrayContaining(['EQUALS', 'NOT_EMPTY']),
    );
  });
});

describe('check group', () => {
  test.each(rowsOf('Check group'))('%s is %s (%s)', (name, type, bounds) => {
    const field = fieldAt(group.request, String(name));
    expectType(field, String(type), BEYOND[String(name)]);
    expectBounds(field, String(bounds));
    expect(fieldAt(group.response, String(name)), 'in the response').toBeDefined();
  });
  test('the request knows no other field and requires none', () => {
    expect(Object.keys(group.request.properties ?? {}).toSorted()).toEqual(
      rowsOf('Check group')
        .map(([name]) => String(name))
        .toSorted(),
    );
    expect(sectionOf('Check group').prose).toContain('No field is marked required');
    expect(group.request.required ?? []).toEqual([]);
    expect(group.request.additionalProperties).toBe(false);
  });
  test('apiCheckDefaults holds what its row names', () => {
    expectType(fieldAt(group.request, 'apiCheckDefaults.url'), 'string');
    for (const list of ['headers', 'queryParameters']) {
      expectType(fieldAt(group.request, `apiCheckDefaults.${list}.key`), 'string');
      expectType(fieldAt(group.request, `apiCheckDefaults.${list}.value`), 'string');
    }
    expectType(fieldAt(group.request, 'apiCheckDefaults.basicAuth.username'), 'string');
    expectType(fieldAt(group.request, 'apiCheckDefaults.basicAuth.password'), 'string');
  });
  test('the response adds id, created_at and updated_at, and requires four fields', () => {
    expectType(fieldAt(group.response, 'id'), 'number');
    expectType(fieldAt(group.response, 'created_at'), 'date');
    expectType(fieldAt(group.response, 'updated_at'), 'date-time or null');
    const [, required = ''] =
      /Response required fields: ([^.]+)\./.exec(sectionOf('Check group').prose) ?? [];
    expect(group.response.required?.toSorted()).toEqual(required.split(', ').toSorted());
    expectType(fieldAt(group.response, 'muted'), 'boolean', ['null']);
    expectType(fieldAt(group.response, 'useGlobalAlertSettings'), 'boolean or null');
    expectType(fieldAt(group.response, 'runParallel'), 'boolean or null');
    expect(fieldAt(group.response, 'runParallel')?.default).toBe(false);
  });
});

const SCRIPT_FIELDS = ['setupSnippetId', 'tearDownSnippetId', 'localSetupScript', 'localTearDownScript'];

describe('DNS check', () => {
  const { prose } = sectionOf('DNS check');
  test('requires name, request, heartbeat and script', () => {
    expect(prose).toContain(
      'Request required: `name` (string), `request` (object), `heartbeat` (object), `script` (string).',
    );
    expect(dns.request.required?.toSorted()).toEqual(['heartbeat', 'name', 'request', 'script']);
    for (const [name, type] of [
      ['name', 'string'],
      ['request', 'object'],
      ['heartbeat', 'object'],
      ['script', 'string'],
    ]) {
      expectType(fieldAt(dns.request, String(name)), String(type));
    }
  });
  test.each([
    ['query', 'string'],
    ['nameServer', 'string'],
    ['port', 'number'],
    ['assertions', 'object[]'],
    ['protocol', 'string'],
  ])('request.%s is %s', (name, type) => {
    expect(prose).toContain(`\`${name}\``);
    expectType(fieldAt(dns.request, `request.${name}`), type);
  });
  test('request.protocol knows UDP', () => {
    expect(fieldAt(dns.request, 'request.protocol')?.enum).toContain('UDP');
  });
  test.each(
    rowsOf('DNS check').flatMap(([names, type, bounds]) =>
      String(names)
        .split(', ')
        .map((name) => [name, type, bounds]),
    ),
  )('%s is %s (%s)', (name, type, bounds) => {
    const field = fieldAt(dns.request, String(name));
    expectType(field, String(type), BEYOND[String(name)]);
    expectBounds(field, String(bounds));
  });
  test('the request knows no other field', () => {
    const named = rowsOf('DNS check').flatMap(([names]) => String(names).split(', '));
    expect(Object.keys(dns.request.properties ?? {}).toSorted()).toEqual(
      [...named, 'name', 'request', 'heartbeat', 'script'].toSorted(),
    );
  });
  test('the response omits script, heartbeat and their kin, and adds id, checkType, alertChannels and timestamps', () => {
    const omitted = [
      'script',
      'heartbeat',
      'scriptPath',
      'sslCheckDomain',
      'environmentVariables',
      ...SCRIPT_FIELDS,
    ];
    expect(prose).toContain(
      'all of the above except script, heartbeat, scriptPath, sslCheckDomain, environmentVariables',
    );
    const expected = Object.keys(dns.request.properties ?? {})
      .filter((name) => !omitted.includes(name))
      .concat('id', 'checkType', 'alertChannels', 'created_at', 'updated_at');
    expect(Object.keys(dns.response.properties ?? {}).toSorted()).toEqual(expected.toSorted());
    expectType(fieldAt(dns.response, 'id'), 'string');
    expect(fieldAt(dns.response, 'checkType')?.enum).toEqual(['DNS']);
    expectType(fieldAt(dns.response, 'created_at'), 'date');
    expectType(fieldAt(dns.response, 'updated_at'), 'date-time or null');
    expect(dns.response.required).toEqual(['name']);
  });
  test.each(['degradedResponseTime', 'maxResponseTime'])('%s has no default in the response', (name) => {
    expectType(fieldAt(dns.response, name), 'number or null');
    expect(fieldAt(dns.response, name)).not.toHaveProperty('default');
  });
});

describe('browser check', () => {
  const { prose } = sectionOf('Browser check');
  const [, sharedNames = ''] = /same types and defaults: ([^.]+)\./.exec(prose) ?? [];
  const shared = sharedNames.split(', ').map((name) => name.replace(/ \(.*/, ''));
  test('requires name and script, and script may be null', () => {
    expect(browser.request.required?.toSorted()).toEqual(['name', 'script']);
    expectType(fieldAt(browser.request, 'script'), 'string or null');
  });
  test.each(shared.map((name) => [name]))('%s is as in the DNS check', (name) => {
    const strip = ({ description: _, ...rest }: JsonSchema) => rest;
    expect(strip(fieldAt(browser.request, name) ?? {})).toEqual(
      strip(fieldAt(dns.request, name) ?? { type: 'absent' }),
    );
  });
  test.each(rowsOf('Browser check').map(([name, type]) => [name, type]))('%s is %s', (name, type) => {
    const [kind = '', bounds = ''] = String(type).split(/[,;] /);
    const field = fieldAt(browser.request, String(name));
    expectType(field, kind);
    expectBounds(field, bounds);
  });
  test('dependencies items hold path and content', () => {
    expectType(fieldAt(browser.request, 'dependencies.path'), 'string');
    expectType(fieldAt(browser.request, 'dependencies.content'), 'string');
  });
  test('the request knows no other field', () => {
    expect(Object.keys(browser.request.properties ?? {}).toSorted()).toEqual(
      [...shared, ...rowsOf('Browser check').map(([name]) => String(name)), 'name', 'script'].toSorted(),
    );
  });
  test('the response has the same fields and five more, and requires name and script', () => {
    expect(Object.keys(browser.response.properties ?? {}).toSorted()).toEqual(
      Object.keys(browser.request.properties ?? {})
        .concat('id', 'checkType', 'alertChannels', 'created_at', 'updated_at')
        .toSorted(),
    );
    expect(fieldAt(browser.response, 'checkType')?.enum).toEqual(['BROWSER']);
    expect(browser.response.required?.toSorted()).toEqual(['name', 'script']);
    expectType(fieldAt(browser.response, 'updated_at'), 'date-time or null');
  });
});

describe('status page', () => {
  test.each(rowsOf('Status page'))('%s is %s: %s', (name, type, notes) => {
    const responseOnly = String(notes).includes('response only');
    for (const [side, schema] of Object.entries(page)) {
      const field = fieldAt(schema, String(name));
      if (side === 'request' && responseOnly) expect(field).toBeUndefined();
      else {
        expectType(field, String(type));
        expectBounds(field, String(notes));
      }
    }
    const required =
      String(notes).startsWith('required') || /required in (request|response)/.test(String(notes));
    if (required && !responseOnly) expect(page.request.required).toContain(name);
    if (String(notes) === 'required' || String(notes).includes('required in response'))
      expect(page.response.required).toContain(name);
  });
  test('cards hold name, id, statusPageId and services in a request, timestamps and services in full in an answer', () => {
    expect(Object.keys(fieldAt(page.request, 'cards')?.items?.properties ?? {})).toEqual([
      'name',
      'id',
      'statusPageId',
      'services',
    ]);
    expectType(fieldAt(page.request, 'cards.services.id'), 'string');
    for (const name of ['id', 'name', 'created_at', 'updated_at'])
      expect(fieldAt(page.response, `cards.${name}`)).toBeDefined();
    expect(Object.keys(fieldAt(page.response, 'cards.services')?.items?.properties ?? {}).toSorted()).toEqual(
      ['accountId', 'created_at', 'id', 'name', 'updated_at'],
    );
  });
  test('both palettes hold the twelve colours as strings', () => {
    const [, names = ''] =
      /string members (.+)$/.exec(
        rowsOf('Status page').find(([name]) => name === 'themeColors')?.[2] ?? '',
      ) ?? [];
    expect(names.split(', ')).toHaveLength(12);
    for (const theme of ['light', 'dark']) {
      for (const colour of names.split(', '))
        expectType(fieldAt(page.request, `themeColors.${theme}.${colour}`), 'string');
    }
  });
});

describe.each([
  ['Maintenance window', answer('getMaintenanceWindow')],
  ['Maintenance window', item(answer('listMaintenanceWindows'))],
  ['Check session', answer('getCheckSession')],
  ['Check session', answer('awaitCheckSession')],
  ['Test session', answer('getTestSession')],
  ['Error group', answer('updateErrorGroup')],
  ['Error group', item(answer('listErrorGroups'))],
])('%s', (title, schema) => {
  test.each(rowsOf(title))(`%s is %s: %s (${schema.title})`, (name, type, notes) => {
    const field = fieldAt(schema, String(name));
    // stoppedAt is the one field whose nullability depends on the endpoint.
    const cell =
      title === 'Check session' && name === 'stoppedAt' && schema.title === 'CheckSession'
        ? 'date-time or null'
        : String(type);
    expectType(field, cell);
    const required = /^required/.test(String(notes));
    expect(schema.required?.includes(String(name)) ?? false, 'required').toBe(required);
    const [, members = ''] =
      /(?:items: |repoUrl|^)((?:\w+ \(|enabled|environment).+)/.exec(String(notes)) ?? [];
    for (const member of members.replaceAll(/\([^)]*\)/g, '').match(/[a-z]\w+/g) ?? []) {
      expect(fieldAt(schema, `${name}.${member}`), member).toBeDefined();
    }
  });
});

test('check session results hold what their sentence names', () => {
  const [, sentence = ''] = /Result items: (.+)\./.exec(sectionOf('Check session').prose) ?? [];
  const names = sentence.replaceAll(/\([^)]*\)/g, '').match(/\w+/g) ?? [];
  expect(names).toHaveLength(10);
  for (const name of names) expect(fieldAt(answer('getCheckSession'), `results.${name}`), name).toBeDefined();
  for (const name of ['checkResultId', 'checkId'])
    expectType(fieldAt(answer('getCheckSession'), `results.${name}`), 'uuid');
});

test('a raw result carries every meaning that the specification lists', () => {
  const record = item(answer('listCheckResultsDeprecated')).properties ?? {};
  for (const name of [
    'resultType',
    'id',
    'name',
    'checkId',
    'hasFailures',
    'hasErrors',
    'isDegraded',
    'isCancelled',
    'overMaxResponseTime',
    'runLocation',
    'responseTime',
    'apiCheckResult',
    'browserCheckResult',
    'multiStepCheckResult',
    'agenticCheckResult',
    'checkRunId',
    'attempts',
    'sequenceId',
    'errorGroupIds',
  ]) {
    expect(record[name], name).toBeDefined();
  }
  for (const name of ['apiCheckResult', 'browserCheckResult', 'multiStepCheckResult', 'agenticCheckResult']) {
    expect(record[name]?.type).toContain('null');
  }
});
