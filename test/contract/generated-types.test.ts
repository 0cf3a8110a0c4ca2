/** The types that the build writes from the schemas of the table. */
import { describe, expect, test } from 'vitest';
import { declarationsOf } from '../../scripts/contract-types.mjs';

const empty = { type: 'object', properties: {} };
const endpoint = (response: object, body?: object) => ({
  ...{ name: 'getThing', params: empty, query: empty, body },
  response: { schema: response },
});
const unit = { type: 'string', enum: ['DAY', 'WEEK'] };

describe('declarationsOf', () => {
  test('a field is optional where it is not required, and null where it may be', () => {
    const schema = {
      ...{ type: 'object', title: 'Thing', required: ['id'] },
      properties: { id: { type: 'integer' }, 'x-name': { type: ['string', 'null'] } },
    };
    expect(declarationsOf([endpoint(schema)])).toEqual([
      'export type Thing = { id: number; "x-name"?: string | null };',
      'export declare const getThing: TypedEndpoint<{ params: Record<never, never>; query: Record<never, never>; body: undefined; response: Thing }>;',
    ]);
  });

  test('an enumeration is open in an answer, and only there', () => {
    const thing = { type: 'object', title: 'Thing', properties: { unit } };
    expect(declarationsOf([endpoint(thing, thing)]).slice(0, 2)).toEqual([
      'export type Thing = { unit?: "DAY" | "WEEK" };',
      'export type Thing2 = { unit?: "DAY" | "WEEK" | (string & {}) };',
    ]);
  });

  test('what is alike is one type, whatever it is called where', () => {
    const part = { type: 'object', properties: { on: { type: 'boolean' } } };
    const both = { type: 'object', properties: { one: part, other: { type: 'array', items: part } } };
    const [first, second] = declarationsOf([endpoint(both)]);
    expect(first).toBe('export type GetThingResponseOne = { on?: boolean };');
    expect(second).toBe(
      'export type GetThingResponse = { one?: GetThingResponseOne; other?: (GetThingResponseOne)[] };',
    );
  });

  test('a fixed word, a map, a file and anything at all', () => {
    const schema = {
      ...{ type: 'object', title: 'Thing' },
      properties: {
        retry: { type: ['object', 'string'], properties: { n: { type: 'number' } }, pattern: '^FALLBACK$' },
        regions: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
        file: { type: 'string', contentEncoding: 'binary' },
        config: { type: 'object' },
      },
    };
    expect(declarationsOf([endpoint(schema)])[1]).toBe(
      'export type Thing = { retry?: GetThingResponseRetry | "FALLBACK"; regions?: Record<string, (string)[]>; file?: Uint8Array; config?: Record<string, unknown> };',
    );
  });
});
