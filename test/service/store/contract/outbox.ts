/** Tests the outbox: it sends messages once and in order, limits destinations, and loses nothing. */
import { describe, expect, it } from 'vitest';
import { enqueue, type OutgoingMessage } from '../../../../src/service/notify/facts/message.ts';
import type { OutboxMessage } from '../../../../src/service/store/index.ts';
import type { StoreFixture } from '../contract.ts';

const MINUTE = 60_000;

export function outboxContract(fixture: () => StoreFixture): void {
  const message = (
    key: string,
    change: Partial<OutgoingMessage> & { readonly url?: string } = {},
  ): OutgoingMessage => {
    const { url = 'http://one.example/hook', ...rest } = change;
    return { accountId: fixture().mine, key, message: { kind: 'webhook', url, body: '{}' }, ...rest };
  };
  const write = (...outgoing: readonly OutgoingMessage[]) =>
    fixture().store.transaction(async (tx) => {
      const written: boolean[] = [];
      for (const one of outgoing) written.push(await enqueue(tx, one));
      return written;
    });
  const claim = async (
    sender = 'one',
    change: {
      now?: number;
      perDestination?: number;
      inFlight?: readonly { destination: string; kind: string; priority: number }[];
      perKind?: number;
      deferred?: number;
      limit?: number;
    } = {},
  ) => {
    const now = change.now ?? fixture().clock.now();
    const claimed = await fixture().store.outbox.claim({
      ...{
        sender,
        now,
        leaseUntil: now + MINUTE,
        perDestination: 1,
        inFlight: [],
        limit: 10,
        ...change,
      },
    });
    return claimed.sort((one, other) => one.id - other.id);
  };
  const keys = (messages: readonly OutboxMessage[]) => messages.map((one) => one.idempotency_key);
  const idOf = (messages: readonly OutboxMessage[]) => messages[0]?.id ?? -1;

  describe('the outbox', () => {
    it('stores a message with the same key once', async () => {
      expect(await write(message('a'), message('a'))).toEqual([true, false]);
      expect(await write(message('a'))).toEqual([false]);
      expect(keys(await claim())).toEqual(['a']);
    });

    it('is unchanged by a rolled-back transaction, which sends no signal', async () => {
      let rang = false;
      void fixture()
        .store.outboxSignal.next()
        .then(() => {
          rang = true;
        });
      const work = fixture().store.transaction(async (tx) => {
        await enqueue(tx, message('given up'));
        throw new Error('no');
      });
      await expect(work).rejects.toThrow('no');
      expect(await claim()).toEqual([]);
      expect(rang).toBe(false);
      await write(message('kept'));
      expect(rang).toBe(true);
    });

    it('sends alerts before messages to subscribers, which never take all places', async () => {
      const url = (index: number) => `http://host-${index}.example/`;
      const notices = Array.from({ length: 20 }, (_, index) =>
        message(`notice ${index}`, { url: url(index), isDeferred: true, notBefore: 0 }),
      );
      await write(...notices, message('alert'));
      const claimed = await claim('one', { limit: 6, deferred: 5 });
      expect(keys(claimed)).toHaveLength(6);
      expect(keys(claimed)).toContain('alert');
      expect(keys(await claim('one', { inFlight: claimed, deferred: 5 }))).toEqual([]);
      await write(message('later alert'));
      expect(keys(await claim('one', { inFlight: claimed, deferred: 5, perDestination: 2 }))).toEqual([
        'later alert',
      ]);
    });

    it('takes turns of destinations and kinds, however many messages of one are older', async () => {
      const old = Array.from({ length: 30 }, (_, index) =>
        message(`old ${index}`, { url: `http://host-${index % 10}.example/`, notBefore: 0 }),
      );
      const email = { kind: 'email', to: 'a@example.com', subject: '', text: '', html: '' } as const;
      await write(...old, message('quiet host'), message('mail', { message: email }));
      const claimed = await claim('one', { perDestination: 3, perKind: 11, limit: 12 });
      expect(keys(claimed)).toContain('mail');
      expect(keys(claimed)).toContain('quiet host');
      expect(new Set(claimed.map(({ destination }) => destination)).size).toBe(12);
      expect(keys(await claim('one', { inFlight: claimed, perDestination: 3, perKind: 11 }))).toEqual([]);
    });

    it('leases a message to one sender, one per destination at a time', async () => {
      await write(message('a'), message('b'), message('c', { url: 'http://two.example/' }));
      expect(keys(await claim('one'))).toEqual(['a', 'c']);
      expect(
        keys(
          await claim('two', { inFlight: [{ destination: 'one.example', kind: 'webhook', priority: 0 }] }),
        ),
      ).toEqual([]);
      expect(keys(await claim('two'))).toEqual(['b']);
      expect(await claim('three')).toEqual([]);
    });

    it("leases several messages of a destination, within the sender's limit", async () => {
      const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => message(key));
      await write(...all, message('other', { url: 'http://two.example/' }));
      const inFlight = [{ destination: 'one.example', kind: 'webhook', priority: 0 }];
      expect(keys(await claim('one', { perDestination: 4, inFlight }))).toEqual(['a', 'b', 'c', 'other']);
      expect(keys(await claim('one', { perDestination: 4, limit: 2 }))).toEqual(['d', 'e']);
    });

    it('sends a message of a lane only after the earlier ones ended', async () => {
      const { store } = fixture();
      const lane = { lane: 'x' } as const;
      await write(message('1', lane), message('2', lane), message('3', lane));
      for (const key of ['1', '2', '3']) {
        const claimed = await claim('one', { perDestination: 4 });
        expect(keys(claimed)).toEqual([key]);
        expect(await claim('two', { perDestination: 4 })).toEqual([]);
        if (key === '1') await write(message('4', lane));
        await store.outbox.markSent(idOf(claimed), 'one');
      }
      expect(keys(await claim())).toEqual(['4']);
    });

    it('counts the bytes of unsent messages', async () => {
      const { store } = fixture();
      await write(message('a'), message('b', { message: { kind: 'webhook', url: 'http://x/', body: 'ü' } }));
      const rows = await store.db.selectFrom('outbox').select('payload').execute();
      const bytes = rows.reduce((sum, { payload }) => sum + Buffer.byteLength(payload ?? ''), 0);
      expect(await store.outbox.unsentBytes()).toBe(bytes);
      await store.outbox.markSent(idOf(await claim()), 'one');
      expect(await store.outbox.unsentBytes()).toBeLessThan(bytes);
    });

    it('does not lease messages early, and returns the next instant', async () => {
      const now = fixture().clock.now();
      await write(message('later', { notBefore: now + MINUTE }));
      expect(await claim()).toEqual([]);
      expect(await fixture().store.outbox.nextInstant('one')).toBe(now + MINUTE);
      expect(keys(await claim('one', { now: now + MINUTE }))).toEqual(['later']);
    });

    it('keeps the order of a lane while its first message is retried', async () => {
      const { store, clock } = fixture();
      await write(message('failure', { lane: 'x' }), message('recovery', { lane: 'x' }), message('other'));
      const first = await claim();
      expect(keys(first)).toEqual(['failure']);
      expect(keys(await claim())).toEqual(['other']);
      await store.outbox.retry(idOf(first), 'one', clock.now() + MINUTE, '503');
      expect(await claim()).toEqual([]);
      const again = await claim('one', { now: clock.now() + MINUTE });
      expect(again).toMatchObject([{ idempotency_key: 'failure', attempts: 2, last_error: '503' }]);
      await store.outbox.markFailed(idOf(again), 'one', 'gone');
      expect(keys(await claim())).toEqual(['recovery']);
    });

    it('deletes the payload of ended messages, which may contain secrets', async () => {
      const { store } = fixture();
      await write(message('a'), message('b'));
      await store.outbox.markSent(idOf(await claim()), 'one');
      await store.outbox.markFailed(idOf(await claim()), 'one', 'no such host');
      const rows = await store.db.selectFrom('outbox').selectAll().orderBy('id').execute();
      expect(rows).toMatchObject([
        { state: 'SENT', payload: null, ended_at: fixture().clock.now() },
        { state: 'FAILED', payload: null, last_error: 'no such host' },
      ]);
    });

    it('rejects the end of a message that another sender has claimed since', async () => {
      const { store, clock } = fixture();
      await write(message('a'));
      const id = idOf(await claim('dead'));
      await store.outbox.releaseExpired('two', clock.now());
      expect(await claim('two')).toEqual([]);
      await store.outbox.releaseExpired('dead', clock.now() + MINUTE);
      expect(await claim('two')).toEqual([]);
      await store.outbox.releaseExpired('two', clock.now() + MINUTE);
      expect(keys(await claim('two'))).toEqual(['a']);
      expect(await store.outbox.markSent(id, 'dead')).toBe(false);
      expect(await store.outbox.markSent(id, 'two')).toBe(true);
    });

    it('deletes old ended messages in small numbers, and no unsent ones', async () => {
      const { store, clock } = fixture();
      await write(message('a'), message('b'), message('c'));
      for (const _ of ['a', 'b']) await store.outbox.markSent(idOf(await claim()), 'one');
      expect(await store.outbox.deleteEnded(clock.now(), 10)).toBe(0);
      expect(await store.outbox.deleteEnded(clock.now() + 1, 1)).toBe(1);
      expect(await store.outbox.deleteEnded(clock.now() + 1, 10)).toBe(1);
      expect(await store.outbox.counts()).toEqual({ QUEUED: 1 });
    });
  });
}
