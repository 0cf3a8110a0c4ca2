/** Walks what the specification says of checks and their groups, row by row: type, default and bound stand in the contract. */
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../src/contract/endpoint.ts';
import { expectBounds, expectType, fieldAt } from './fields.ts';
import { rowsOf, sectionOf } from './markdown.ts';
import { answer, body } from './schemas.ts';

const dns = { request: body('createDnsCheck'), response: answer('createDnsCheck') };
const browser = { request: body('createBrowserCheck'), response: answer('createBrowserCheck') };
const group = { request: body('updateCheckGroup'), response: answer('updateCheckGroup') };

/** Where docs/gaps.md adds null to a type. */
const BEYOND: Readonly<Record<string, readonly string[]>> = {
  retryStrategy: ['null'],
  triggerIncident: ['null'],
  // A client may send back what responses contain.
  alertSettings: ['null'],
  runParallel: ['null'],
  useGlobalAlertSettings: ['null'],
};

/** Fields that only docs/gaps.md has. */
const OF_GAPS = ['dependsOn'];

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
      [...named, ...OF_GAPS, 'name', 'request', 'heartbeat', 'script'].toSorted(),
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
      [
        ...[...shared, ...OF_GAPS, ...rowsOf('Browser check').map(([name]) => String(name))],
        ...['name', 'script'],
        // Gaps.
        'sendTraceparent',
        'playwrightConfig',
      ].toSorted(),
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
