/** Notices to thousands of subscribers: a batch at a time, each message once, in the order of the notices. */
import { afterEach, describe, expect, it } from 'vitest';
import { systemRandom } from '../../../../src/base/random.ts';
import { expandNotices } from '../../../../src/service/notify/subscribers/expand-notices.ts';
import { notifySubscribers } from '../../../../src/service/notify/subscribers/notify-subscribers.ts';
import { openStore, type Store } from '../../../../src/service/store/index.ts';
import { createManualClock } from '../../../support/clock.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { openPostgres } from '../../../support/postgres.ts';

describe.each(['SQLite', 'Postgres'])('on %s', (database) => {
  const clock = createManualClock();
  let store: Store;
  afterEach(() => store.close());

  async function open(): Promise<Store> {
    const location =
      database === 'Postgres'
        ? { url: await (await openPostgres()).createDatabase() }
        : { path: `${await temporaryFolder()}/sonde.db` };
    return openStore(location, { clock, random: systemRandom });
  }
  /** Creates an account with a page and so many subscribers. */
  async function pageWith(name: string, count: number) {
    const { id: accountId } = await store.accounts.create(name);
    const page = await store.statusPages.create(accountId, { name, url: name, cards: [] } as never);
    await store.transaction(async (tx) => {
      for (let index = 0; index < count; index += 1)
        await tx.subscribers.add(page.id, `${name}-${index}@example.com`, {
          isConfirmed: true,
          keyHash: null,
        });
    });
    return { accountId, pageId: page.id };
  }
  const notify = (accountId: string, key: string) =>
    store.transaction((tx) =>
      notifySubscribers(tx, {
        ...{ accountId, key, about: 'incident', id: '1', title: 'Down', state: 'Investigating' },
        ...{ text: '', at: clock.now(), services: 'all' },
      }),
    );
  /** Expands a batch, and loses it, as a kill before the commit does. */
  const killed = () =>
    expandNotices({
      transaction: (work, options) =>
        store.transaction(async (tx) => {
          await work(tx);
          throw new Error('killed');
        }, options),
    });
  const messages = () =>
    store.db
      .selectFrom('outbox')
      .select(['lane', 'idempotency_key as key', 'priority'])
      .orderBy('id')
      .execute();
  /** Sends everything that is due. */
  async function drain(): Promise<void> {
    const claim = {
      sender: 'one',
      now: clock.now(),
      leaseUntil: clock.now() + 1,
      perDestination: 50,
      limit: 50,
    };
    for (;;) {
      const claimed = await store.outbox.claim({ ...claim, inFlight: [] });
      if (claimed.length === 0) return;
      for (const { id } of claimed) await store.outbox.markSent(id, 'one');
    }
  }

  it.each([0, 1, 49, 50, 51, 120])(
    'loses and repeats no message to %i subscribers, killed before and after each batch',
    async (count) => {
      store = await open();
      const { accountId, pageId } = await pageWith('ours', count);
      await notify(accountId, 'first');
      await notify(accountId, 'second');
      await clock.advance(1);
      await store.subscribers.add(pageId, 'later@example.com', { isConfirmed: true, keyHash: null });
      do {
        const before = (await messages()).length;
        await expect(killed()).rejects.toThrow('killed');
        expect(await messages()).toHaveLength(before);
      } while (await expandNotices(store));
      const all = await messages();
      expect(all.every(({ priority }) => priority === 1)).toBe(true);
      expect(new Set(all.map(({ key }) => key)).size).toBe(2 * count);
      expect(all).toHaveLength(2 * count);
      for (const lane of new Set(all.map((one) => one.lane)))
        expect(all.filter((one) => one.lane === lane).map(({ key }) => key.split('/')[0])).toEqual([
          'first',
          'second',
        ]);
    },
  );

  it('keeps the outbox small, and lets a small page of another account go on', async () => {
    store = await open();
    const [large, small] = [await pageWith('large', 350), await pageWith('small', 3)];
    await notify(large.accountId, 'large');
    while (await expandNotices(store));
    const waiting = await messages();
    expect(waiting.length).toBeLessThanOrEqual(250);
    await notify(small.accountId, 'small');
    expect(await expandNotices(store)).toBe(true);
    expect((await messages()).filter(({ key }) => key.startsWith('small'))).toHaveLength(3);
    for (let round = 0; round < 4; round += 1) {
      await drain();
      while (await expandNotices(store));
    }
    expect(await messages()).toHaveLength(353);
  });
});
