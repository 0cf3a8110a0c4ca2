/** What is said of a request that breaks the contract. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coerceText, coerceTexts } from '../../src/contract/coerce.ts';
import { withDefaults } from '../../src/contract/defaults.ts';
import * as contract from '../../src/contract/index.ts';
import {
  createAlertChannel,
  createDnsCheck,
  createMaintenanceWindow,
  createTcpCheck,
  createUrlCheck,
  listMaintenanceWindows,
} from '../../src/contract/index.ts';
import { placeText, violationsOf } from '../../src/contract/validate.ts';

const good = { name: 'a', request: { query: 'example.com' }, heartbeat: {}, script: '' };
const told = (body: unknown) =>
  violationsOf(createDnsCheck, { body }, 0).map(
    ({ path, message, nearest, origin }) =>
      `${placeText(path)} ${message}${nearest ? ` (${nearest}?)` : ''} [${origin}]`,
  );

describe('violations', () => {
  test('there are none of a request that keeps the contract', () => {
    expect(told(good)).toEqual([]);
  });

  test('all are told at once, each with its place, the rule and the nearest value', () => {
    expect(
      told({
        ...good,
        name: undefined,
        frequency: 7,
        frequencyOfset: 3,
        groupOrder: -1,
        retryStrategy: 'FALLBACK',
      }),
    ).toEqual([
      'name is required [specification]',
      'frequencyOfset is not a known field (frequencyOffset?) [specification]',
      'groupOrder must be at least 0 [specification]',
      'retryStrategy must be an object or null [specification]',
      'frequency must be one of 0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440 (5?) [specification]',
    ]);
  });

  test('what only the gaps know is marked so', () => {
    expect(told({ ...good, request: { query: 'a', protocol: 'UPD', nameServer: '127.0.0.1' } })).toEqual([
      'request.protocol must be one of UDP, TCP (UDP?) [gaps]',
      'request.port is required when request.nameServer is set [gaps]',
    ]);
  });

  test('texts and lists have limits where the specification has none', () => {
    const long = 'x'.repeat(256);
    const variable = { key: 'A', value: 'v'.repeat(65_537) };
    expect(
      told({
        ...good,
        name: long,
        tags: [long, ...Array.from({ length: 100 }, (_, at) => `tag ${at}`)],
        environmentVariables: [variable],
      }),
    ).toEqual([
      'name must have at most 255 characters [gaps]',
      'tags must have at most 100 items [gaps]',
      'tags[0] must have at most 255 characters [gaps]',
      'environmentVariables[0].value must have at most 65536 characters [gaps]',
    ]);
  });

  test('a field that is wrong by itself is not judged again with others', () => {
    expect(told({ ...good, frequency: 10, frequencyOffset: 0 })).toEqual([
      'frequencyOffset must be at least 1 [specification]',
    ]);
    expect(told({ ...good, frequencyOffset: 101 })).toEqual([
      'frequencyOffset must be between 1 and 100 when frequency is 10 [specification]',
    ]);
  });

  test('a value of another type than the enumeration is one problem', () => {
    expect(told({ ...good, frequency: 'soon' })).toEqual([
      'frequency must be one of 0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440 [specification]',
    ]);
  });

  test('a form is told in words, what is empty once, and an only value as such', () => {
    const judge = (hostname: string) =>
      violationsOf(createTcpCheck, { body: { name: 'a', request: { hostname, port: 25 } } }, 0);
    expect(judge('http://mail').map(({ message }) => message)).toEqual([
      'must be a host name or IP address, without scheme, path or spaces',
    ]);
    expect(judge('').map(({ message }) => message)).toEqual(['must not be empty']);
    const assertions = [{ source: 'BODY', comparison: 'CONTAINS', target: 'ok' }];
    const body = { name: 'a', request: { url: 'shop.example', assertions } };
    expect(violationsOf(createUrlCheck, { body }, 0).map(({ message }) => message)).toEqual([
      'must begin with https:// or http://',
      'must be STATUS_CODE',
    ]);
  });

  test('a status is compared with a number', () => {
    const judge = (target: string) => {
      const assertions = [{ source: 'STATUS_CODE', comparison: 'EQUALS', target }];
      const body = { name: 'a', request: { url: 'https://shop.example', assertions } };
      return violationsOf(createUrlCheck, { body }, 0).map(({ message }) => message);
    };
    expect(judge('200')).toEqual([]);
    expect(judge('')).toEqual(['must be a status code such as 200 for STATUS_CODE EQUALS, not ""']);
    expect(judge('OK')).toEqual(['must be a status code such as 200 for STATUS_CODE EQUALS, not "OK"']);
  });

  test('a list item is named by its index', () => {
    expect(told({ ...good, locations: ['eu-west-1', 'eu-wst-1'] })[0]).toMatch(
      /^locations\[1\] must be one of us-east-1.*\(eu-west-1\?\)/,
    );
  });

  test('a date filter holds exactly one comparison of a real date', () => {
    const judge = (startsAt: unknown) =>
      violationsOf(listMaintenanceWindows, { query: { startsAt } }, 0).map(({ message }) => message);
    expect(judge({ gte: '2026-11-21' })).toEqual([]);
    expect(judge({ gte: '2026-11-21T08:00:00Z' })).toEqual([]);
    expect(judge({})).toEqual([
      'must have exactly one of gt, gte, lt, lte, such as startsAt[gte]=2026-11-21',
    ]);
    expect(judge({ gte: '2026-02-30' })[0]).toMatch(/^must be a date/);
  });

  test('a window ends after it starts, and affects all services or names some', () => {
    const body = {
      name: 'a',
      startsAt: '2026-11-21',
      endsAt: '2026-11-20',
      repeatUnit: null,
      statusPageVisibility: { affectAllServices: true, serviceIds: ['x'] },
    };
    expect(violationsOf(createMaintenanceWindow, { body }, 0).map(({ path }) => placeText(path))).toEqual([
      'endsAt',
      'statusPageVisibility.serviceIds',
    ]);
  });

  test('an alert channel needs the config of its type', () => {
    const judge = (type: string, config: object) =>
      violationsOf(createAlertChannel, { body: { type, config } }, 0).map(({ path }) => placeText(path));
    expect(judge('EMAIL', { address: 'a@example.com' })).toEqual([]);
    expect(judge('WEBHOOK', {})).toEqual(['config.name', 'config.url']);
  });

  test('no input whatever makes the judging itself fail', () => {
    const endpoints = Object.values(contract).filter((value) => 'validate' in value);
    fc.assert(
      fc.property(fc.constantFrom(...endpoints), fc.anything(), fc.anything(), (endpoint, body, query) => {
        for (const violation of violationsOf(endpoint, { body, query: Object(query) }, 0)) {
          expect(violation.message).not.toBe('');
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('texts become values', () => {
  test.each([
    ['5', { type: 'number' }, 5],
    ['5x', { type: 'number' }, '5x'],
    ['', { type: 'number' }, ''],
    ['0x10', { type: 'integer' }, '0x10'],
    ['true', { type: 'boolean' }, true],
    ['yes', { type: 'boolean' }, 'yes'],
    ['null', { type: ['string', 'null'] }, null],
    ['null', { type: 'string' }, 'null'],
  ])('%j as %j is %j', (text, schema, value) => {
    expect(coerceText(text, schema)).toBe(value);
  });
  test('a list is split at commas and may be repeated', () => {
    expect(coerceTexts(['1,2', '3'], { type: 'array', items: { type: 'number' } })).toEqual([1, 2, 3]);
  });
});

test('defaults fill what is absent at every depth that is present, and leave the request as it was', () => {
  const body = { ...good, alertSettings: { reminders: {} }, activated: false };
  const before = structuredClone(body);
  const filled = withDefaults(createDnsCheck.body ?? {}, body);
  expect(filled).toMatchObject({
    activated: false,
    frequency: 10,
    maxResponseTime: 1000,
    request: { recordType: 'A', protocol: 'UDP' },
    alertSettings: { escalationType: 'RUN_BASED', reminders: { amount: 0, interval: 5 } },
  });
  expect(filled).not.toHaveProperty('retryStrategy');
  expect(body).toEqual(before);
});

describe('what lies beside a script', () => {
  const problems = (body: object) =>
    violationsOf(contract.createBrowserCheck, { body: { name: 'b', script: '1', ...body } }, 0).map(
      ({ path, message }) => `${placeText(path)} ${message}`,
    );

  test.each([
    ['/etc/passwd', "must be relative to the script's folder, without a drive or a leading slash"],
    ['C:\\x.ts', "must be relative to the script's folder, without a drive or a leading slash"],
    ['\\x.ts', "must be relative to the script's folder, without a drive or a leading slash"],
    ['../x.ts', "must not contain ..: use a path relative to the script's folder"],
    ['a\\..\\x.ts', "must not contain ..: use a path relative to the script's folder"],
    ['a\0b', 'must not contain a NUL or another control character'],
    ['a/', 'must name a file'],
    ['.', 'must name a file'],
    [`${'a'.repeat(501)}`, 'must have at most 500 characters'],
    ['node_modules/x/index.js', 'must not be in node_modules, which the runtime provides'],
  ])('%j is refused', (path, message) => {
    expect(problems({ scriptPath: path })).toEqual([`scriptPath ${message}`]);
    expect(problems({ dependencies: [{ path, content: '' }] })).toEqual([`dependencies[0].path ${message}`]);
  });

  test('two files of one path are refused, and good ones are not', () => {
    const dependencies = ['lib/a.ts', './lib//a.ts', 'lib/b.ts'].map((path) => ({ path, content: '' }));
    expect(problems({ scriptPath: 'checks/home.spec.ts', dependencies })).toEqual([
      'dependencies[1].path must not repeat the path of another dependency',
    ]);
    expect(problems({ scriptPath: '', dependencies: null })).toEqual([]);
  });

  test('sslCheckDomain is a domain', () => {
    for (const sslCheckDomain of ['', 'a.example', 'a.example:8443', '[::1]:443', null])
      expect(problems({ sslCheckDomain })).toEqual([]);
    for (const sslCheckDomain of ['https://a.example', 'a.example/x', 'a b', 'a\0b'])
      expect(problems({ sslCheckDomain })).toEqual([
        'sslCheckDomain must be a domain such as example.com, without scheme, path or spaces',
      ]);
  });
});
