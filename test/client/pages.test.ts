/** Lists: one page, all pages, and servers that page badly. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NetworkError } from '../../src/base/errors.ts';
import { createPageGuard } from '../../src/client/pages.ts';
import { getStatusPage, listMaintenanceWindows, listStatusPages } from '../../src/contract/index.ts';
import { answer, type SeenRequest, serve, serveWith } from '../support/http.ts';
import { bench, rejection } from './fixtures.ts';

const queryOf = ({ url }: SeenRequest) => new URL(url, 'http://x').searchParams;
/** A well-behaved list of so many windows. */
const windows =
  (count: number, range?: string) => (request: SeenRequest, response: Parameters<typeof answer>[0]) => {
    const query = queryOf(request);
    const limit = Number(query.get('limit') ?? 10);
    const from = (Number(query.get('page') ?? 1) - 1) * limit;
    const body = Array.from({ length: count }, (_, id) => ({ id, name: `w${id}` })).slice(from, from + limit);
    answer(response, { body, headers: range ? { 'content-range': range } : {} });
  };

async function gather(
  pages: AsyncIterable<{ readonly entries: readonly unknown[]; readonly more: boolean }>,
) {
  const seen: { entries: number; more: boolean }[] = [];
  for await (const { entries, more } of pages) seen.push({ entries: entries.length, more });
  return seen;
}

describe('a list paged by number', () => {
  it('gives one page as it was asked for, and says whether there may be more', async () => {
    const server = await serveWith(windows(23));
    const { client } = bench(server.url);
    expect(await gather(client.pages(listMaintenanceWindows, {}))).toEqual([{ entries: 10, more: true }]);
    const last = client.pages(listMaintenanceWindows, { query: { page: 3 } });
    expect(await gather(last)).toEqual([{ entries: 3, more: false }]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/v1/maintenance-windows',
      '/v1/maintenance-windows?page=3',
    ]);
  });

  it('gives all, in pages as large as they may be, and ends at one that is not full', async () => {
    const server = await serveWith(windows(230));
    const { client } = bench(server.url);
    expect(await gather(client.pages(listMaintenanceWindows, {}, { all: true }))).toEqual([
      { entries: 100, more: true },
      { entries: 100, more: true },
      { entries: 30, more: false },
    ]);
    expect(server.requests.map((request) => queryOf(request).get('page'))).toEqual([null, '2', '3']);
  });

  it('gives all in smaller pages, from where one is larger than the client reads', async () => {
    const large = (place: number) => ({
      id: place,
      name: 'x'.repeat(place >= 100 && place < 130 ? 1000 : 1),
    });
    const all = Array.from({ length: 230 }, (_, place) => large(place));
    const server = await serveWith((request, response) => {
      const limit = Number(queryOf(request).get('limit'));
      const from = (Number(queryOf(request).get('page') ?? 1) - 1) * limit;
      answer(response, { body: all.slice(from, from + limit) });
    });
    const given: unknown[] = [];
    const options = { all: true, maxBytes: 7000 };
    const { client } = bench(server.url);
    for await (const page of client.pages(listMaintenanceWindows, {}, options)) given.push(...page.entries);
    expect(given).toEqual(all);
    const asked = server.requests.map((request) => queryOf(request));
    expect(asked.slice(0, 5).map((query) => [query.get('limit'), query.get('page')])).toEqual([
      ['100', null],
      ['100', '2'],
      ['25', '5'],
      ['5', '21'],
      ['5', '22'],
    ]);
  });

  it('fails where a single entry is larger than the client reads', async () => {
    const server = await serveWith((_, response) => answer(response, { body: ['x'.repeat(1000)] }));
    const pages = bench(server.url).client.pages(listMaintenanceWindows, {}, { all: true, maxBytes: 500 });
    await rejection(gather(pages), NetworkError);
    expect(server.requests.map((request) => queryOf(request).get('limit'))).toEqual(['100', '25', '5', '1']);
  });

  it('keeps the limit and the first page that were given, and types its entries', async () => {
    const server = await serveWith(windows(9));
    const names: string[] = [];
    const pages = bench(server.url).client.pages(
      listMaintenanceWindows,
      { query: { limit: 4, page: 2 } },
      { all: true },
    );
    for await (const { entries } of pages) names.push(...entries.map(({ name }) => name));
    expect(names).toEqual(['w4', 'w5', 'w6', 'w7', 'w8']);
  });

  it('asks for nothing more than it is iterated for', async () => {
    const server = await serveWith(windows(100));
    for await (const page of bench(server.url).client.pages(
      listMaintenanceWindows,
      { query: { limit: 5 } },
      { all: true },
    ))
      if (page.entries.length > 0) break;
    expect(server.requests).toHaveLength(1);
  });

  it('uses the total where there is one: no request too many, and none too few', async () => {
    const exact = await serveWith(windows(10, '0-9/10'));
    const ten = bench(exact.url).client.pages(
      listMaintenanceWindows,
      { query: { limit: 10 } },
      { all: true },
    );
    expect(await gather(ten)).toEqual([{ entries: 10, more: false }]);
    const stingy = await serve(
      { body: [{ id: 1 }], headers: { 'content-range': 'items 0-0/2' } },
      { body: [{ id: 2 }], headers: { 'content-range': 'items 1-1/2' } },
    );
    const both = bench(stingy.url).client.pages(listMaintenanceWindows, {}, { all: true });
    expect(await gather(both)).toEqual([
      { entries: 1, more: true },
      { entries: 1, more: false },
    ]);
  });

  it('is a fault where the total promises more than ever comes', async () => {
    const server = await serveWith(windows(3, '0-2/9'));
    const pages = bench(server.url).client.pages(listMaintenanceWindows, {}, { all: true });
    const { message } = await rejection(gather(pages), NetworkError);
    expect(message).toMatch(/announced 9 entries, but returned 3$/);
    expect(server.requests).toHaveLength(2);
  });

  it('ignores a total that is not a number', async () => {
    const server = await serveWith(windows(3, '0-2/*'));
    expect(await gather(bench(server.url).client.pages(listMaintenanceWindows, {}, { all: true }))).toEqual([
      { entries: 3, more: false },
    ]);
  });

  it('is a fault where the server gives the same page again', async () => {
    const server = await serveWith((_request, response) =>
      answer(response, { body: [{ id: 1 }, { id: 2 }] }),
    );
    const pages = bench(server.url).client.pages(
      listMaintenanceWindows,
      { query: { limit: 2 } },
      { all: true },
    );
    expect((await rejection(gather(pages), NetworkError)).message).toMatch(/repeats a page after 2 pages/);
    expect(server.requests).toHaveLength(2);
  });

  it('is a fault where a cursor announces more', async () => {
    const body = { length: 1, entries: [{ id: 1 }], nextId: 'n1' };
    const server = await serveWith((_request, response) => answer(response, { body }));
    const { client } = bench(server.url);
    expect(await gather(client.pages(listMaintenanceWindows, {}))).toEqual([{ entries: 1, more: true }]);
    const all = client.pages(listMaintenanceWindows, {}, { all: true });
    expect((await rejection(gather(all), NetworkError)).message).toMatch(/announces more entries by nextId/);
  });

  it('is a fault where the answer is no list', async () => {
    const server = await serve({ body: { hello: 'world' } });
    const pages = bench(server.url).client.pages(listMaintenanceWindows, {});
    expect((await rejection(gather(pages), NetworkError)).message).toMatch(/not a list/);
  });
});

describe('a list paged by cursor', () => {
  const page = (nextId: string | number | null, ...ids: string[]) => ({
    body: { length: ids.length, entries: ids.map((id) => ({ id })), nextId },
  });

  it('follows the cursors to the last page', async () => {
    const server = await serve(page('n1', 'a', 'b'), page('n2'), page(null, 'c'));
    const { client } = bench(server.url);
    expect(await gather(client.pages(listStatusPages, {}, { all: true }))).toEqual([
      { entries: 2, more: true },
      { entries: 0, more: true },
      { entries: 1, more: false },
    ]);
    expect(server.requests.map((request) => queryOf(request).get('nextId'))).toEqual([null, 'n1', 'n2']);
    expect(queryOf(server.requests[1] as SeenRequest).get('limit')).toBe('100');
  });

  it('follows a cursor that is a number', async () => {
    const server = await serve(page(0, 'a'), page(null, 'b'));
    await gather(bench(server.url).client.pages(listStatusPages, {}, { all: true }));
    expect(server.requests.map((request) => queryOf(request).get('nextId'))).toEqual([null, '0']);
  });

  it('gives one page where all was not asked for', async () => {
    const server = await serve(page('n1', 'a'));
    expect(await gather(bench(server.url).client.pages(listStatusPages, {}))).toEqual([
      { entries: 1, more: true },
    ]);
  });

  it('is a fault where a cursor comes back', async () => {
    const server = await serve(page('n1', 'a'), page('n2', 'b'), page('n1', 'c'));
    const pages = bench(server.url).client.pages(listStatusPages, {}, { all: true });
    expect((await rejection(gather(pages), NetworkError)).message).toMatch(/repeats a page after 3 pages/);
  });

  it('is a fault where only the cursors are new', async () => {
    const server = await serve(page('n1', 'a'), page('n2', 'b'), page('n3', 'a'));
    const pages = bench(server.url).client.pages(listStatusPages, {}, { all: true });
    expect((await rejection(gather(pages), NetworkError)).message).toMatch(/repeats a page after 3 pages/);
  });

  it('is a fault where no page after many holds anything', () => {
    const goOn = createPageGuard(listStatusPages);
    const text = (count: number) => `{"entries":[],"nextId":"n${count}"}`;
    for (let count = 1; count <= 100; count++) goOn(text(count), [], `n${count}`);
    expect(() => goOn(text(101), [], 'n101')).toThrow(/101 empty pages/);
  });

  it('is a fault where all entries of a page were on earlier ones, in any order and with other fields', () => {
    const ids = fc.uniqueArray(fc.nat(50), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(ids, fc.nat(), fc.boolean(), (all, seed, hasIds) => {
        const entries = all.map((id) => (hasIds ? { id, seenAt: 1 } : [id]));
        const goOn = createPageGuard(listStatusPages);
        const half = Math.ceil(entries.length / 2);
        goOn('a', entries.slice(0, half), 'n1');
        if (half < entries.length) goOn('b', entries.slice(half - 1), 'n2');
        const again = entries.filter((_, at) => (seed >> (at % 20)) % 2 === 0 || at === 0).toReversed();
        const changed = again.map((entry) => (Array.isArray(entry) ? entry : { ...entry, seenAt: 2 }));
        expect(() => goOn('c', changed, 'n3')).toThrow(/has only entries of earlier pages/);
      }),
    );
  });

  it('names its limit, and how to go on', () => {
    const goOn = createPageGuard(listStatusPages);
    for (let count = 1; count < 10_000; count++) goOn(`[${count}]`, [count], `n${count}`);
    expect(() => goOn('[10000]', [10_000], 'n10000')).toThrow(
      expect.objectContaining({
        message: 'cannot read the whole list: the list has more than 10000 pages',
        hint: expect.stringContaining('without --all'),
      }),
    );
  });
});

it('what is no list has no pages', async () => {
  const server = await serve({ body: { id: 'p' } });
  const pages = bench(server.url).client.pages(getStatusPage, { params: { statusPageId: 'p' } });
  await rejection(gather(pages), NetworkError);
});
