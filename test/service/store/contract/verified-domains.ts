/** Tests which page is served at a domain. */
import { describe, expect, test } from 'vitest';
import type { StatusPageRecord } from '../../../../src/service/store/index.ts';
import type { StoreFixture } from '../contract.ts';

const page = (url: string, customDomain: string | null) =>
  ({ name: url, url, cards: [], customDomain }) as unknown as StatusPageRecord['body'];

export function verifiedDomainContract(current: () => StoreFixture): void {
  describe('a custom domain', () => {
    test('is declared by any number of pages, and serves one, of one kind', async () => {
      const { store, mine, theirs } = current();
      const first = await store.statusPages.create(theirs, page('first', 'a.example'));
      const owned = await store.statusPages.create(mine, page('owned', 'A.example'));
      const board = await store.dashboards.create(theirs, { customDomain: 'a.example' });
      expect(await store.statusPages.byDomain('a.example')).toBeUndefined();
      // Only the account of a page, and only at the domain that the page declares.
      expect(await store.statusPages.serveAtDomain(theirs, owned.id, 'a.example')).toBe(false);
      expect(await store.statusPages.serveAtDomain(mine, owned.id, 'b.example')).toBe(false);
      expect(await store.statusPages.serveAtDomain(mine, owned.id, 'a.example')).toBe(true);
      expect(await store.statusPages.serveAtDomain(mine, owned.id, 'a.example')).toBe(true);
      expect(await store.statusPages.serveAtDomain(theirs, first.id, 'a.example')).toBe(false);
      expect(await store.dashboards.serveAtDomain(theirs, board.id, 'a.example')).toBe(false);
      expect((await store.statusPages.byDomain('a.example'))?.id).toBe(owned.id);
      expect(await store.dashboards.byDomain('a.example')).toBeUndefined();
      expect(await store.statusPages.idsWithVerifiedDomain([first.id, owned.id])).toEqual(
        new Set([owned.id]),
      );
    });

    test('is kept while the page declares it, and free afterwards', async () => {
      const { store, mine, theirs } = current();
      const { id } = await store.dashboards.create(mine, { customDomain: 'a.example' });
      await store.dashboards.serveAtDomain(mine, id, 'a.example');
      await store.dashboards.replace(mine, id, { customDomain: 'A.EXAMPLE', header: 'new' });
      expect((await store.dashboards.byDomain('a.example'))?.body.header).toBe('new');
      await store.dashboards.change(mine, id, (body) => ({ ...body, customDomain: null }));
      expect(await store.dashboards.byDomain('a.example')).toBeUndefined();
      const other = await store.statusPages.create(theirs, page('other', 'a.example'));
      expect(await store.statusPages.serveAtDomain(theirs, other.id, 'a.example')).toBe(true);
      await store.statusPages.delete(theirs, other.id);
      await store.dashboards.change(mine, id, () => ({ customDomain: 'a.example' }));
      expect(await store.dashboards.serveAtDomain(mine, id, 'a.example')).toBe(true);
    });

    test('serves one of several pages that are verified at once', async () => {
      const { store, mine } = current();
      const pages = await Promise.all(
        ['1', '2', '3'].map((url) => store.statusPages.create(mine, page(url, 'a.example'))),
      );
      const outcomes = await Promise.allSettled(
        pages.map(({ id }) => store.statusPages.serveAtDomain(mine, id, 'a.example')),
      );
      const served = outcomes.filter((each) => each.status === 'fulfilled' && each.value);
      expect(served).toHaveLength(1);
      for (const each of outcomes)
        if (each.status === 'rejected') expect(each.reason).toMatchObject({ reason: 'unique' });
    });
  });
}
