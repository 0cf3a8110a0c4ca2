/** Rules that hold alike for all resources: changes, names, keys of variables, colours and dates, wherever the contract has them. */
import { describe, expect, it } from 'vitest';
import { ALERT_CHANNEL_ROWS } from '../../src/contract/alert-channel-types.ts';
import type { Endpoint, JsonSchema } from '../../src/contract/index.ts';
import * as contract from '../../src/contract/index.ts';
import { violationsOf } from '../../src/contract/validate.ts';

const endpoints = Object.values(contract as Readonly<Record<string, unknown>>).filter(
  (value): value is Endpoint => typeof value === 'object' && value !== null && 'validate' in value,
);

interface Field {
  readonly path: string;
  readonly schema: JsonSchema;
}

function fieldsOf(schema: JsonSchema | undefined, path = ''): Field[] {
  const own = Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const here = path === '' ? name : `${path}.${name}`;
    return [{ path: here, schema: field }, ...fieldsOf(field, here)];
  });
  return [...own, ...(schema?.items ? fieldsOf(schema.items, `${path}[]`) : [])];
}

// Agents report names of files.
const requestFields = endpoints
  .filter(({ caller }) => caller !== 'agent')
  .flatMap((endpoint) =>
    fieldsOf(endpoint.body).map((field) => ({ ...field, place: `${endpoint.name} ${field.path}` })),
  );
const fieldsNamed = (pattern: RegExp) => requestFields.filter(({ path }) => pattern.test(path));
const accepts = ({ pattern = '', minLength = 0 }: JsonSchema, text: string) =>
  text.length >= minLength && new RegExp(pattern, 'u').test(text);

describe('all resources', () => {
  const changes = endpoints.filter(
    ({ method, body, sendsEmptyBody }) =>
      (method === 'PUT' || method === 'PATCH') && body?.properties && !sendsEmptyBody,
  );
  it.each(changes.map((endpoint) => [endpoint.name, endpoint] as const))(
    'refuse a change without a field: %s',
    (_, endpoint) => {
      const found = violationsOf(endpoint, { body: {} }, 0).filter(({ in: part }) => part === 'body');
      expect(found).not.toEqual([]);
    },
  );

  it('refuse empty and blank names, on the command line as in the service', () => {
    // An incident sends the names of its services back, which nobody reads.
    const names = fieldsNamed(/(?:^|\.)(?:name|header)$/).filter(({ path }) => path !== 'services[].name');
    expect(names.length).toBeGreaterThan(40);
    for (const { place, schema } of names) {
      for (const text of ['', ' ', '\t\n', '\u00a0', '\u200b\u200b', '\u3164'])
        expect(accepts(schema, text), `${place}: ${JSON.stringify(text)}`).toBe(false);
      expect(accepts(schema, ' Shop '), place).toBe(true);
      expect(schema['x-gaps'] ?? [], place).not.toContain('pattern');
    }
  });

  it('have the same keys of variables', () => {
    const keys = fieldsNamed(/^environmentVariables\[\]\.key$/).concat(
      requestFields.filter(({ place }) => /^(?:create|update)Variable key$/.test(place)),
    );
    expect(keys.length).toBeGreaterThan(15);
    for (const { place, schema } of keys) {
      for (const key of ['', ' ', '1A', 'A-B', 'A.B', 'A B', 'Ä', 'A=B'])
        expect(accepts(schema, key), `${place}: ${key}`).toBe(false);
      for (const key of ['A', '_', 'a_1']) expect(accepts(schema, key), `${place}: ${key}`).toBe(true);
      expect(schema['x-gaps'] ?? [], place).not.toContain('pattern');
    }
  });

  it('have colours in upper and lower case', () => {
    const colours = fieldsNamed(/Color(?:Muted)?$/);
    expect(colours.length).toBeGreaterThan(20);
    for (const { place, schema } of colours) {
      for (const colour of ['#FFAA00', '#ffaa00', '#Fa0', '#fa0'])
        expect(accepts(schema, colour), `${place}: ${colour}`).toBe(true);
      for (const colour of ['', 'ffaa00', '#ffaa0', '#gg0000'])
        expect(accepts(schema, colour), `${place}: ${colour}`).toBe(false);
    }
  });

  it('answer a wrong date with a right one', () => {
    const isDate = ({ format, 'x-unit': unit, title, description = '' }: JsonSchema) =>
      format === 'date' ||
      format === 'date-time' ||
      title === 'DateFilter' ||
      (unit === 'seconds' && /Unix/.test(description));
    const wrong = endpoints.flatMap((endpoint) => {
      const ofQuery = Object.entries(endpoint.query.properties ?? {}).filter(([, schema]) => isDate(schema));
      const ofBody = Object.entries(endpoint.body?.properties ?? {}).filter(([, schema]) => isDate(schema));
      return [
        ...ofQuery.map(([name]) => [endpoint, name, { query: { [name]: 'tomorrow' } }] as const),
        ...ofBody.map(([name]) => [endpoint, name, { body: { [name]: 'tomorrow' } }] as const),
      ];
    });
    expect(wrong.length).toBeGreaterThan(20);
    for (const [endpoint, name, parts] of wrong) {
      const found = violationsOf(endpoint, parts, 0).find(({ path }) => path[0] === name);
      expect(found?.message, `${endpoint.name} ${name}`).toMatch(/2026-\d\d-\d\d/);
    }
  });
});

it('accepts reminders of a maintenance window from a minute on', () => {
  const reminders = (...reminderMinutesBefore: number[]) =>
    violationsOf(
      contract.updateMaintenanceWindow,
      { params: { id: 1 }, body: { statusPageVisibility: { reminderMinutesBefore } } },
      0,
    );
  expect(reminders(1, 5, 10080)).toEqual([]);
  expect(reminders(0)).toHaveLength(1);
  expect(reminders(10081)).toHaveLength(1);
});

it('refuses a type of alert channel without its configuration, in a change, too', () => {
  const places = (endpoint: Endpoint, body: object) =>
    violationsOf(endpoint, { params: { id: 1 }, body }, 0).map(({ path }) => path.join('.'));
  for (const { type, required } of Object.entries(ALERT_CHANNEL_ROWS).map(([type, row]) => ({
    type,
    ...row,
  }))) {
    if (required.length === 0) continue;
    expect(places(contract.updateAlertChannel, { type }), type).not.toEqual([]);
    expect(places(contract.updateAlertChannel, { type, sendRecovery: false }), type).not.toEqual([]);
  }
  expect(places(contract.updateAlertChannel, { sendRecovery: false })).toEqual([]);
});
