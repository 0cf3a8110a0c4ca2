/** Walks the specification's enumerations, endpoints, limits and rules row by row and finds each in the contract. */
import { describe, expect, test } from 'vitest';
import type { EndpointDefinition } from '../../../src/contract/endpoint.ts';
import { table } from '../../../src/contract/endpoints/index.ts';
import { frequencyOffset, resultWindow, resultWindowOf } from '../../../src/contract/rules.ts';
import { asJson, expectType, fieldAt } from './fields.ts';
import { readSpecification, rowsOf, sectionOf } from './markdown.ts';

const endpoints: readonly EndpointDefinition[] = Object.values(table);
const numbered = (number: number) => {
  const found = endpoints.find((endpoint) => endpoint.number === number);
  if (!found) throw new Error(`The contract has no endpoint ${number}`);
  return found;
};
const body = (number: number) => asJson(numbered(number).body);
const answer = (number: number) => asJson(numbered(number).response.schema);
const query = (number: number) => asJson(numbered(number).query);

/** Where each row of the enumeration table stands in the contract. */
const ENUMERATED: Readonly<Record<string, readonly (readonly unknown[] | undefined)[]>> = {
  'locations items (public data-center locations)': [1, 2, 3].map(
    (number) => fieldAt(body(number), 'locations')?.items?.enum,
  ),
  'runtimeId (nullable)': [1, 2, 3].map((number) => fieldAt(body(number), 'runtimeId')?.enum),
  'frequency, unit minutes, DNS check': [
    fieldAt(body(2), 'frequency')?.enum,
    fieldAt(answer(2), 'frequency')?.enum,
  ],
  'frequency, unit minutes, browser check': [fieldAt(body(3), 'frequency')?.enum],
  'checkType (session records)': [
    fieldAt(answer(8), 'checkType')?.enum,
    fieldAt(answer(9), 'checkType')?.enum,
  ],
  'checkType (DNS create response)': [fieldAt(answer(2), 'checkType')?.enum],
  'checkType (browser create response)': [fieldAt(answer(3), 'checkType')?.enum],
  'runSource (nullable)': [fieldAt(answer(8), 'runSource')?.enum, fieldAt(answer(9), 'runSource')?.enum],
  'repeatUnit (maintenance window, nullable)': [fieldAt(answer(7), 'repeatUnit')?.enum],
  'defaultTheme (status page)': [
    fieldAt(body(4), 'defaultTheme')?.enum,
    fieldAt(answer(5), 'defaultTheme')?.enum,
  ],
  'check result type (deprecated list filter)': [fieldAt(query(20), 'resultType')?.enum],
};

/** Values that only docs/gaps.md has. */
const OF_GAPS: Readonly<Record<string, readonly string[]>> = { 'checkType (session records)': ['SSL'] };

describe('enumerations', () => {
  test.each(rowsOf('Enumerations').filter(([name]) => !name?.startsWith('alertSettings')))(
    '%s: %s',
    (name, values) => {
      const wanted = String(values)
        .replace(/ \(default .*\)/, '')
        .split(', ')
        .filter((value) => value !== 'null')
        .concat(OF_GAPS[String(name)] ?? []);
      const places = ENUMERATED[String(name)];
      expect(places, 'a place in the contract').toBeDefined();
      for (const found of places ?? []) {
        expect(found?.filter((value) => value !== null).map(String)).toEqual(wanted);
      }
      const nullable = String(name).includes('nullable');
      for (const found of places ?? []) expect(found?.includes(null)).toBe(nullable);
    },
  );
  test('defaults that stand in the table: frequency 10 minutes, theme AUTO', () => {
    expect(fieldAt(body(2), 'frequency')?.default).toBe(10);
    expect(fieldAt(body(3), 'frequency')?.default).toBe(10);
    expect(fieldAt(body(4), 'defaultTheme')?.default).toBe('AUTO');
  });
  test('escalationType knows RUN_BASED', () => {
    expect(fieldAt(body(2), 'alertSettings.escalationType')?.enum).toContain('RUN_BASED');
  });
  test.each(rowsOf('Check session status'))('check session status on %s: %s', (endpoint, values) => {
    const number = endpoint === 'retrieve' ? 8 : 9;
    expect(fieldAt(answer(number), 'status')?.enum).toEqual(String(values).split(', '));
  });
  test('test session status: RUNNING, FAILED, PASSED, CANCELLED', () => {
    expect(
      readSpecification().some(({ prose }) => prose.includes('RUNNING, FAILED, PASSED, CANCELLED')),
    ).toBe(true);
    expect(fieldAt(answer(10), 'status')?.enum).toEqual(['RUNNING', 'FAILED', 'PASSED', 'CANCELLED']);
  });
});

describe('endpoints', () => {
  test.each(rowsOf('Endpoints').slice(0, 19))('%s: %s %s', (number, method, path, request, response) => {
    const endpoint = numbered(Number(number));
    expect(`${endpoint.method} ${endpoint.path}`).toBe(`${method} ${path}`);
    const params = asJson(endpoint.params).properties ?? {};
    expect(Object.keys(params)).toEqual([...String(path).matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    const [, type] = /path (?:\w+ )?(integer|string|uuid)/.exec(String(request)) ?? [];
    if (type) expectType(Object.values(params)[0], type);
    const [, names = ''] = /query ((?:\w+(?: \w+)?(?:, )?)+)/.exec(String(request)) ?? [];
    const queried = names
      .split(', ')
      .map((name) => name.split(' ')[0])
      .filter((name) => /^[a-z]/i.test(String(name)));
    // Beside what is only ours.
    const known = Object.keys(asJson(endpoint.query).properties ?? {}).filter((name) => name !== 'force');
    expect(known.toSorted()).toEqual(queried.toSorted());
    expect(endpoint.body !== undefined).toBe(String(request).includes('body'));
    const status = response === 'No Content' ? 204 : String(response).startsWith('Created') ? 201 : 200;
    expect(endpoint.response.status).toBe(status);
    expect(endpoint.response.schema === undefined).toBe(status === 204);
    if (String(response).startsWith('array')) expect(answer(Number(number)).type).toBe('array');
  });
  test('there are twenty, and the twentieth is the deprecated listing with a path parameter', () => {
    expect(endpoints.filter(({ number }) => number !== undefined)).toHaveLength(20);
    expect(numbered(20).deprecated).toContain('GET /v2/check-results/{checkId}');
    expect(sectionOf('Endpoints').prose).toContain('GET /v2/check-results/{checkId}');
    expect(Object.keys(asJson(numbered(20).params).properties ?? {})).toHaveLength(1);
    expect(Object.keys(query(20).properties ?? {}).toSorted()).toEqual([
      'checkType',
      'from',
      'hasFailures',
      'limit',
      'location',
      'page',
      'resultType',
      'to',
    ]);
    // A private location, too: the service knows which there are.
    expect(fieldAt(query(20), 'location')?.type).toBe('string');
    expect(fieldAt(query(20), 'checkType')?.enum).toHaveLength(11); // with SSL, of docs/gaps.md
  });
  test.each([1, 2, 3])('endpoint %i: autoAssignAlerts is true unless told', (number) => {
    expect(fieldAt(query(number), 'autoAssignAlerts')).toMatchObject({ type: 'boolean', default: true });
  });
  test.each([6, 12])('endpoint %i takes limit (1 to 100, 10) and page (1)', (number) => {
    expect(fieldAt(query(number), 'limit')).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 10,
    });
    expect(fieldAt(query(number), 'page')).toMatchObject({ type: 'number', default: 1 });
  });
  test('endpoint 9 takes maxWaitSeconds, 1 to 30', () => {
    expect(fieldAt(query(9), 'maxWaitSeconds')).toMatchObject({ type: 'integer', minimum: 1, maximum: 30 });
  });
  test('endpoint 11 writes two booleans', () => {
    expectType(fieldAt(body(11), 'archiveForEver'), 'boolean');
    expectType(fieldAt(body(11), 'archivedUntilNextEvent'), 'boolean');
  });
});

describe('rules between fields', () => {
  const judge = (frequency: number, offset: number) =>
    frequencyOffset({ params: {}, query: {}, body: { frequency, frequencyOffset: offset } });
  test('frequency 0: offset is 10, 20 or 30', () => {
    for (const offset of [10, 20, 30]) expect(judge(0, offset)).toEqual([]);
    for (const offset of [1, 11, 40]) expect(judge(0, offset)).toHaveLength(1);
  });
  test.each([1, 2, 5, 10, 15, 30, 60])(
    'frequency %i: offset is between 1 and floor(frequency * 10)',
    (frequency) => {
      expect(judge(frequency, 1)).toEqual([]);
      expect(judge(frequency, Math.floor(frequency * 10))).toEqual([]);
      expect(judge(frequency, 0)).toHaveLength(1);
      expect(judge(frequency, Math.floor(frequency * 10) + 1)).toHaveLength(1);
    },
  );
  test.each([120, 180, 360, 720, 1440])(
    'frequency %i: offset is between 1 and ceil(frequency / 60)',
    (frequency) => {
      expect(judge(frequency, Math.ceil(frequency / 60))).toEqual([]);
      expect(judge(frequency, Math.ceil(frequency / 60) + 1)).toHaveLength(1);
    },
  );
  test('the result window is at most six hours, and its defaults are those of rule 8', () => {
    const hours = (count: number) => count * 3600;
    const broken = (from: number, to: number) =>
      resultWindow({ params: {}, query: { from, to }, body: undefined });
    expect(broken(0, hours(6))).toEqual([]);
    expect(broken(0, hours(6) + 1)).toHaveLength(1);
    expect(resultWindowOf({}, 100_000)).toEqual({ from: 100_000 - hours(6), to: 100_000 });
    expect(resultWindowOf({ to: 50_000 }, 100_000)).toEqual({ from: 50_000 - hours(6), to: 50_000 });
    expect(resultWindowOf({ from: 50_000 }, 100_000)).toEqual({ from: 50_000, to: 50_000 + hours(6) });
  });
});

/** Each row of the limits, and the place of the contract that holds it (a function that says whether it does). */
const LIMITS: Readonly<Record<string, () => boolean>> = {
  Rate: () => numbered(20).rate === 'deprecated-listing',
  'Time window': () => numbered(20).rules?.includes('resultWindow') === true,
  'limit parameter': () =>
    [6, 12, 20].every(
      (number) =>
        fieldAt(query(number), 'limit')?.maximum === 100 && fieldAt(query(number), 'limit')?.default === 10,
    ),
  'page parameter': () => [6, 12, 20].every((number) => fieldAt(query(number), 'page')?.default === 1),
  maxWaitSeconds: () => fieldAt(query(9), 'maxWaitSeconds')?.maximum === 30,
  environmentVariables: () =>
    [1, 2, 3].every((number) => fieldAt(body(number), 'environmentVariables')?.maxItems === 100),
  description: () => [2, 3, 4].every((number) => fieldAt(body(number), 'description')?.maxLength === 500),
  concurrency: () =>
    fieldAt(body(1), 'concurrency')?.minimum === 1 && fieldAt(body(1), 'concurrency')?.default === 3,
  groupOrder: () => [2, 3].every((number) => fieldAt(body(number), 'groupOrder')?.minimum === 0),
  'degradedResponseTime, maxResponseTime': () =>
    fieldAt(body(2), 'degradedResponseTime')?.default === 500 &&
    fieldAt(body(2), 'maxResponseTime')?.default === 1000 &&
    ['degradedResponseTime', 'maxResponseTime'].every((name) => fieldAt(body(2), name)?.maximum === 5000),
  frequencyOffset: () =>
    fieldAt(body(2), 'frequencyOffset')?.minimum === 1 &&
    numbered(2).rules?.includes('frequencyOffset') === true,
};
/** Limits of behaviour, not of a request: held by the service and the agent. */
const BEHAVIOUR = ['Raw result retention', 'artifact upload size'];

test.each(rowsOf('Limits').filter(([limit]) => !BEHAVIOUR.includes(String(limit))))(
  'limit: %s of %s is %s',
  (limit) => {
    expect(LIMITS[String(limit)], 'a place in the contract').toBeDefined();
    expect(LIMITS[String(limit)]?.()).toBe(true);
  },
);

test('no table of the specification is left unread', () => {
  const read = [
    'Enumerations',
    'alertSettings',
    'retryStrategy',
    'triggerIncident',
    'alertChannels',
    'Check group',
    'DNS check',
    'Browser check',
    'Status page',
    'Maintenance window',
    'Check session',
    'Test session',
    'Error group',
    'Check session status',
    'Endpoints',
    'Limits',
  ];
  const withTables = readSpecification()
    .filter(({ tables }) => tables.length > 0)
    .map(({ title }) => title);
  // The probes are the agent's, not an endpoint of the service.
  expect(withTables.filter((title) => !read.includes(title))).toEqual([
    'Private location agent health probes',
  ]);
});
