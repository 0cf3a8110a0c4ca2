/** Masks that come back as values: every write-only field of every endpoint refuses them. */
import { describe, expect, it } from 'vitest';
import type { Endpoint, JsonSchema } from '../../src/contract/index.ts';
import * as contract from '../../src/contract/index.ts';
import { placeText, violationsOf } from '../../src/contract/validate.ts';

interface Field {
  readonly path: readonly (string | number)[];
  readonly canHide: boolean;
}

/** The write-only fields of a body, however deep. */
function writeOnlyFields(schema: JsonSchema, path: Field['path'] = []): readonly Field[] {
  const variants = (schema as { anyOf?: readonly JsonSchema[] }).anyOf ?? [];
  const { items, properties = {} } = schema;
  return [
    ...variants.flatMap((variant) => writeOnlyFields(variant, path)),
    ...(items ? writeOnlyFields(items, [...path, 0]) : []),
    ...Object.entries(properties).flatMap(([name, field]) =>
      field.writeOnly
        ? [{ path: [...path, name], canHide: 'locked' in properties || 'secret' in properties }]
        : writeOnlyFields(field, [...path, name]),
    ),
  ];
}

/** A body with nothing but one field, and its neighbours. */
const bodyWith = ([step, ...rest]: Field['path'], value: unknown, beside: object): unknown => {
  const inner = rest.length === 0 ? value : bodyWith(rest, value, beside);
  return typeof step === 'number' ? [inner] : { ...(rest.length === 0 ? beside : {}), [String(step)]: inner };
};

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'validate' in value;
const cases = Object.values(contract)
  .filter(isEndpoint)
  .flatMap((endpoint) =>
    (endpoint.body ? writeOnlyFields(endpoint.body) : []).map((field) => ({
      ...field,
      endpoint,
      title: `${endpoint.method} ${endpoint.path} ${placeText(field.path)}`,
    })),
  );

const masksIn = (endpoint: Endpoint, path: Field['path'], value: unknown, beside: object = {}) =>
  violationsOf(endpoint, { body: bodyWith(path, value, beside) }, 0)
    .filter(({ keyword }) => keyword === 'mask')
    .map((found) => found.path);

it('finds the fields of all kinds of resources', () => {
  const titles = cases.map(({ title }) => title).join('\n');
  for (const part of [
    ...['/variables value', 'environmentVariables[0].value', 'request.headers[0].value'],
    ...['request.basicAuth.password', 'apiCheckDefaults.basicAuth.password', 'config.webhookSecret'],
    ...['config.url', 'config.token', 'config.headers[0].value', 'passphrase', ' key'],
  ])
    expect(titles).toContain(part);
});

describe.each(cases)('$title', ({ endpoint, path, canHide }) => {
  it.each(['***', '****', '***-45e3d2x', 'Bearer ***', '%2A%2A%2A', 'https://a.example/***-45e3d2/x'])(
    'refuses %s',
    (mask) => {
      for (const hidden of canHide ? [{ locked: true }, { secret: true }] : [{}])
        expect(masksIn(endpoint, path, mask, hidden)).toEqual([path]);
    },
  );

  it('refuses a mask alone even where it may be shown, and no other text', () => {
    expect(masksIn(endpoint, path, '***')).toEqual([path]);
    for (const text of ['', '**', '* * *', 'a secret', null, 5])
      expect(masksIn(endpoint, path, text)).toEqual([]);
    if (canHide) expect(masksIn(endpoint, path, 'docs/***/x')).toEqual([]);
  });

  it('takes a whole mask only for credentials of channels, which the service compares', () => {
    const isCredential = path[0] === 'config' && path.length === 2 && path[1] !== 'webhookSecret';
    for (const mask of ['***-45e3d2', 'https://a.example/***-45e3d2'])
      expect(masksIn(endpoint, path, mask)).toEqual(isCredential ? [] : [path]);
  });
});
