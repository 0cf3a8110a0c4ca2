/** Secrets are marked in the schemas: a field whose name looks like a secret has a mark, or a reason for having none. */
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../src/contract/endpoint.ts';
import { table } from '../../src/contract/endpoints/index.ts';
import { mapSecrets } from '../../src/contract/secrets.ts';

type Schema = JsonSchema & { readonly anyOf?: readonly Schema[] };
interface Field {
  readonly name: string;
  /** `createVariable request value` */
  readonly place: string;
  readonly schema: Schema;
}

/** Lists the fields of a schema, however deep. */
function fieldsOf(schema: Schema, place: string): readonly Field[] {
  const { items, additionalProperties, properties = {}, anyOf = [] } = schema;
  const nested = [...anyOf, items, additionalProperties].filter(
    (one): one is Schema => typeof one === 'object',
  );
  return [
    ...nested.flatMap((one) => fieldsOf(one, place)),
    ...Object.entries(properties).flatMap(([name, field]) => [
      { name, place: `${place} ${name}`, schema: field },
      ...fieldsOf(field, `${place} ${name}`),
    ]),
  ];
}

const FIELDS = Object.values(table).flatMap(({ name, params, query, body, response }) => [
  ...fieldsOf(params as Schema, `${name} path`),
  ...fieldsOf(query as Schema, `${name} query`),
  ...(body ? fieldsOf(body as Schema, `${name} request`) : []),
  ...(response.schema ? fieldsOf(response.schema as Schema, `${name} response`) : []),
]);

const LOOKS_SECRET =
  /passw(or)?d|passphrase|secret|token|credential|authorization|cookie|webhook|(api|access|private|raw|service|agent)_?key|^key$|^value$|pingurl/i;

/** Fields that only look like secrets, by the end of their place, with the reason. */
const EXCEPTIONS: readonly (readonly [end: RegExp, reason: string])[] = [
  [/ (headers|queryParameters|environmentVariables|variables?|request|response|path) key$/, 'names a pair'],
  [/ entitlements key$/, 'names an entitlement'],
  [/ securityBaseline \w+ value$/, 'a version of TLS'],
  [/ config webhookType$/, 'a kind of webhook'],
];

const isText = ({ type, items }: Schema): boolean =>
  [type ?? []].flat().includes('string') || (items !== undefined && isText(items));
const isMarked = ({ 'x-secret': kind, items }: Schema): boolean =>
  kind !== undefined || (items !== undefined && isMarked(items));

describe('a field whose name looks like a secret', () => {
  const suspects = FIELDS.filter(({ name, schema }) => LOOKS_SECRET.test(name) && isText(schema));
  const unmarked = suspects.filter(({ schema }) => !isMarked(schema)).map(({ place }) => place);

  it('is marked, or only looks like one', () => {
    expect(unmarked.filter((place) => !EXCEPTIONS.some(([end]) => end.test(place)))).toEqual([]);
  });

  it('has no exception without a field', () => {
    for (const [end] of EXCEPTIONS) expect(unmarked.filter((place) => end.test(place))).not.toEqual([]);
  });
});

it('is marked if answers never contain it, unless it is the archive of a project', () => {
  const hidden = FIELDS.filter(({ schema }) => schema.writeOnly && schema['x-secret'] === undefined);
  expect([...new Set(hidden.map(({ name }) => name))]).toEqual(['archive']);
});

describe('mapSecrets', () => {
  const value = { type: 'string', 'x-secret': 'emptied' } as const;
  const pair = { properties: { key: { type: 'string' }, value, locked: { type: 'boolean' } } } as const;
  const schema = { anyOf: [{ properties: { pairs: { items: pair } } }, { properties: { token: value } }] };

  it('visits each secret of a list and of a variant, and says whether its object hides it', () => {
    const body = {
      pairs: [
        { key: 'a', value: '1', locked: true },
        { key: 'b', value: '2' },
      ],
      token: '3',
    };
    const seen: unknown[] = [];
    mapSecrets(schema, body, (secret) => seen.push(secret));
    expect(seen).toEqual([
      { kind: 'emptied', value: '1', path: ['pairs', 0, 'value'], isHidden: true },
      { kind: 'emptied', value: '2', path: ['pairs', 1, 'value'], isHidden: false },
      { kind: 'emptied', value: '3', path: ['token'], isHidden: true },
    ]);
  });

  it('leaves the given value unchanged, and omits a secret that becomes undefined', () => {
    const body = { token: '3', other: null };
    expect(mapSecrets(schema, body, () => undefined)).toEqual({ other: null });
    expect(body).toEqual({ token: '3', other: null });
  });
});
