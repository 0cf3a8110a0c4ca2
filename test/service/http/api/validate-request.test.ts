/** The query of a URL as values: lists, filter objects and everything malformed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listCheckResults, listChecks, listMaintenanceWindows } from '../../../../src/contract/index.ts';
import { parseQuery } from '../../../../src/service/http/api/validate-request.ts';
import { unicodeText } from '../../../support/characters.ts';

const windows = (text: string) => parseQuery(text, listMaintenanceWindows.query);
const results = (text: string) => parseQuery(text, listCheckResults.query);

describe('the query of a URL', () => {
  it('is coerced by the schema', () => {
    expect(results('limit=5&hasFailures=true&location=eu-west-1&nextId=12')).toEqual({
      query: { limit: 5, hasFailures: true, location: 'eu-west-1', nextId: '12' },
      violations: [],
    });
  });

  it.each(['startsAt[gte]=2026-11-21', 'startsAt%5Bgte%5D=2026-11-21', 'startsAt={"gte":"2026-11-21"}'])(
    'takes a filter as %s',
    (text) => {
      expect(windows(text)).toEqual({ query: { startsAt: { gte: '2026-11-21' } }, violations: [] });
    },
  );

  it('collects the members of a filter, so that the contract can refuse two', () => {
    expect(windows('startsAt[gte]=2026-11-21&startsAt[lt]=2026-11-22').query).toEqual({
      startsAt: { gte: '2026-11-21', lt: '2026-11-22' },
    });
  });

  it.each(['tag=a&tag=b', 'tag[]=a&tag[]=b', 'tag=a,b', 'tag[0]=a&tag[1]=b', 'tag%5B%5D=a,b'])(
    'takes a list as %s',
    (text) => {
      expect(parseQuery(text, listChecks.query)).toEqual({ query: { tag: ['a', 'b'] }, violations: [] });
    },
  );

  it('reads + as a space and keeps what it does not know', () => {
    expect(windows('no+such=a+b%2B&flag').query).toEqual({ 'no such': 'a b+', flag: '' });
  });

  it.each([
    ['limit=5&limit=6', { path: ['limit'], keyword: 'repeated' }],
    ['startsAt[gte]=2026-11-21&startsAt[gte]=2026-11-22', { path: ['startsAt'], keyword: 'repeated' }],
    ['limit=%E0%A4%A', { keyword: 'encoding' }],
    ['nextId=a%00b', { keyword: 'nul' }],
  ])('%s is a violation', (text, expected) => {
    const { violations } = parseQuery(text, { properties: { ...listMaintenanceWindows.query.properties } });
    expect(violations).toMatchObject([{ in: 'query', ...expected }]);
  });

  it('reaches no prototype', () => {
    const { query } = windows('__proto__=1&constructor[prototype]=2&startsAt[__proto__]=3');
    expect(Object.getPrototypeOf(query)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).prototype).toBeUndefined();
  });

  it('never throws, whatever is written', () => {
    fc.assert(
      fc.property(unicodeText(), (text) => {
        expect(() => windows(text)).not.toThrow();
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z%&=[\]0-9+]*$/), (text) => {
        expect(() => windows(text)).not.toThrow();
      }),
    );
  });
});
