/** Tests checks with their groups, tags, subscriptions and triggers. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { CheckFilter } from '../../../../src/service/store/index.ts';
import type { StoreFixture } from '../contract.ts';
import { dnsCheck } from '../harness.ts';

const BROWSER = { type: 'BROWSER', body: { name: 'Shop', script: 'page.goto()' } } as const;

export function checkContract(current: () => StoreFixture): void {
  describe('checks', () => {
    test('are stored with their fields and schedule columns', async () => {
      const { store, mine, theirs, clock } = current();
      const typed = dnsCheck({ muted: true, frequency: 0, frequencyOffset: 30, tags: ['a', 'a', 'b'] });
      const made = await store.checks.create(mine, typed, { nextRunAt: 1_795_000_000_000 });
      expect(made).toEqual({
        ...{ ...typed, id: made.id, accountId: mine, name: 'a check', activated: true, muted: true },
        ...{ groupId: null, frequency: 0, frequencyOffset: 30, nextRunAt: 1_795_000_000_000 },
        ...{ locationCursor: 0, status: null, createdAt: clock.now(), updatedAt: null },
      });
      expect(await store.checks.get(mine, made.id)).toEqual(made);
      expect(await store.checks.get(theirs, made.id)).toBeUndefined();
      expect(await store.checks.byIds(theirs, [made.id])).toEqual([]);
      expect(await store.checks.byIds(mine, [made.id])).toEqual([made]);
    });

    test('are walked a few at a time, newest first, each once although some are deleted meanwhile', async () => {
      const { store, mine, theirs } = current();
      await store.checks.create(theirs, dnsCheck());
      // All have the same creation time.
      for (let index = 0; index < 40; index += 1) await store.checks.create(mine, dnsCheck());
      const all = (await store.checks.list(mine)).map(({ id }) => id);
      const walked: string[] = [];
      for await (const checks of store.checks.walk(mine)) {
        expect(checks.length).toBeLessThanOrEqual(16);
        walked.push(...checks.map(({ id }) => id));
        const [first = '', next = ''] = [all[walked.length - 1], all[walked.length]];
        if (walked.length === 16) for (const id of [first, next]) await store.checks.delete(mine, id);
      }
      expect(walked).toEqual(all.filter((_, index) => index !== 16));
    });

    test('keep their schedule if a change does not set it', async () => {
      const { store, mine, theirs } = current();
      const { id } = await store.checks.create(mine, BROWSER, { nextRunAt: 5, frequencyOffset: 7 });
      const changed = { ...BROWSER, body: { ...BROWSER.body, activated: false } };
      expect(await store.checks.replace(mine, id, changed)).toMatchObject({
        ...{ activated: false, nextRunAt: 5, frequencyOffset: 7, frequency: 10 },
      });
      expect(await store.checks.replace(mine, id, changed, { nextRunAt: null })).toMatchObject({
        nextRunAt: null,
      });
      expect(await store.checks.replace(theirs, id, changed)).toBeUndefined();
    });

    test('are filtered by type, tag, status and a literal part of the name', async () => {
      const { store, mine } = current();
      const names = async (filter: Parameters<typeof store.checks.list>[1]) => {
        const found = (await store.checks.list(mine, filter)).map(({ name }) => name).sort();
        expect(await store.checks.count(mine, filter)).toBe(found.length);
        return found;
      };
      const first = await store.checks.create(mine, dnsCheck({ name: 'ÜBER_100%', tags: ['prod', 'eu'] }));
      await store.checks.create(mine, dnsCheck({ name: 'over 1000', tags: ['prod'] }));
      await store.checks.create(mine, BROWSER);
      await store.checks.setStatus([first.id], 'failing');
      expect(await names({})).toEqual(['Shop', 'over 1000', 'ÜBER_100%']);
      expect(await names({ type: 'BROWSER' })).toEqual(['Shop']);
      expect(await names({ tags: ['prod'] })).toEqual(['over 1000', 'ÜBER_100%']);
      expect(await names({ tags: ['eu'], type: 'DNS' })).toEqual(['ÜBER_100%']);
      expect(await names({ tags: ['eu', 'prod'] })).toEqual(['over 1000', 'ÜBER_100%']);
      expect(await names({ tags: ['eu', 'none'], type: 'DNS', search: '100%' })).toEqual(['ÜBER_100%']);
      expect(await names({ status: 'failing' })).toEqual(['ÜBER_100%']);
      expect(await names({ search: 'OVER' })).toEqual(['over 1000']);
      expect(await names({ search: 'über' })).toEqual(['ÜBER_100%']);
      expect(await names({ search: '100%' })).toEqual(['ÜBER_100%']);
      expect(await names({ search: 'r_1' })).toEqual(['ÜBER_100%']);
      expect(await names({ search: '\\' })).toEqual([]);
      expect(await names({ search: first.id.slice(0, 10).toUpperCase() })).toEqual(['ÜBER_100%']);
      expect(await names({ search: first.id })).toEqual(['ÜBER_100%']);
      expect(await names({ search: first.id.slice(1, 8) })).toEqual([]);
      expect(await names({ search: `${first.id}0` })).toEqual([]);
      await store.checks.replace(mine, first.id, dnsCheck({ name: 'renamed' }));
      expect(await names({ tags: ['eu'] })).toEqual([]);
    });

    test("are found by their tags and their group's tags, also after changes", async () => {
      const { store, mine, theirs } = current();
      const group = await store.groups.create(mine, { name: 'group', tags: ['web', 'web'] });
      await store.checks.create(mine, dnsCheck({ name: 'own', tags: ['prod', 'eu'] }));
      await store.checks.create(mine, dnsCheck({ name: 'grouped', tags: ['prod'], groupId: group.id }));
      await store.checks.create(mine, dnsCheck({ name: 'bare' }));
      await store.checks.create(theirs, dnsCheck({ name: 'theirs', tags: ['prod', 'web'] }));
      const names = async (...groups: readonly (readonly string[])[]) =>
        (await store.checks.tagged(mine, groups)).map(({ name }) => name).sort();
      expect(await names(['prod'])).toEqual(['grouped', 'own']);
      expect(await names(['web'])).toEqual(['grouped']);
      expect(await names(['prod', 'web'])).toEqual(['grouped']);
      expect(await names(['prod', '!web'])).toEqual(['own']);
      expect(await names(['!prod'])).toEqual(['bare']);
      expect(await names(['!prod', '!web'])).toEqual(['bare']);
      expect(await names(['web'], ['!prod'])).toEqual(['bare', 'grouped']);
      expect(await names(['nothing'])).toEqual([]);
      expect(await names()).toEqual([]);
      await store.groups.replace(mine, group.id, { name: 'group', tags: ['api'] });
      expect(await names(['web'])).toEqual([]);
      expect(await names(['api'])).toEqual(['grouped']);
    });

    test('that an older version wrote are in lists after the next start', async () => {
      const { store, mine } = current();
      const { id } = await store.checks.create(mine, dnsCheck({ name: 'new name', tags: ['prod'] }));
      const other = await store.checks.create(mine, dnsCheck({ name: 'unlisted' }));
      await store.db.deleteFrom('check_listing').where('check_id', '=', other.id).execute();
      await store.db.updateTable('check_listing').set({ name_folded: 'old name' }).execute();
      await sql`update check_tags set account_id = null, created_at = null`.execute(store.db);
      const found = async (filter: CheckFilter) =>
        (await store.checks.list(mine, filter)).map((one) => one.id);
      expect(await found({ search: 'e' })).toEqual([id]);
      expect(await found({ search: 'new' })).toEqual([]);
      await store.checks.backfillLists();
      expect(await found({ search: 'unlisted' })).toEqual([other.id]);
      expect(await found({ search: 'new' })).toEqual([id]);
      expect(await found({ tags: ['prod'] })).toEqual([id]);
    });

    test('of a group are sorted in run order', async () => {
      const { store, mine, theirs, clock } = current();
      const group = await store.groups.create(mine, { name: 'group' });
      for (const [name, groupOrder] of [
        ['last', null],
        ['second', 1.5],
        ['first', 0],
      ] as const) {
        await store.checks.create(mine, dnsCheck({ name, groupId: group.id, groupOrder }));
        clock.step(1);
      }
      const checks = await store.checks.byGroup(mine, group.id);
      expect(checks.map(({ name }) => name)).toEqual(['first', 'second', 'last']);
      expect(await store.checks.byGroup(theirs, group.id)).toEqual([]);
    });

    test("cannot join another account's group, and prevent the deletion of their group", async () => {
      const { store, mine, theirs } = current();
      const group = await store.groups.create(mine, { name: 'group' });
      const grouped = dnsCheck({ groupId: group.id });
      await expect(store.checks.create(theirs, grouped)).rejects.toMatchObject({ reason: 'reference' });
      expect(await store.checks.count(theirs)).toBe(0);
      const { id } = await store.checks.create(mine, grouped);
      await expect(store.groups.delete(mine, group.id)).rejects.toMatchObject({ reason: 'reference' });
      await store.checks.delete(mine, id);
      expect(await store.groups.delete(mine, group.id)).toBe(true);
    });

    test('are deleted with their tags, subscriptions and trigger', async () => {
      const { store, mine, theirs } = current();
      const channel = await store.alertChannels.create(mine, { type: 'EMAIL', config: {} });
      const { id } = await store.checks.create(mine, dnsCheck({ tags: ['a'] }));
      await store.triggers.create(mine, { checkId: id });
      await store.subscriptions.subscribeToAll(mine, { checkId: id });
      expect(await store.checks.delete(theirs, id)).toBe(false);
      expect(await store.checks.delete(mine, id)).toBe(true);
      for (const table of ['check_tags', 'check_listing'] as const)
        expect(await store.db.selectFrom(table).selectAll().execute()).toEqual([]);
      expect(await store.triggers.get(mine, { checkId: id })).toBeUndefined();
      expect(await store.subscriptions.ofChannel(mine, channel.id)).toEqual([]);
    });
  });

  describe('subscriptions', () => {
    test('are the same for the check and the channel', async () => {
      const { store, mine, theirs } = current();
      const channel = await store.alertChannels.create(mine, { type: 'EMAIL', config: {} });
      const group = await store.groups.create(mine, { name: 'group' });
      const check = await store.checks.create(mine, dnsCheck());
      await store.subscriptions.set(mine, { checkId: check.id }, [
        { channelId: channel.id, activated: false },
      ]);
      const ofCheck = { channelId: channel.id, checkId: check.id, groupId: null, activated: false };
      expect(await store.subscriptions.ofChannel(mine, channel.id)).toEqual([ofCheck]);
      await store.subscriptions.setOfChannel(mine, channel.id, [{ groupId: group.id, activated: true }]);
      expect(await store.subscriptions.ofTarget(mine, { checkId: check.id })).toEqual([]);
      const ofGroup = { channelId: channel.id, checkId: null, groupId: group.id, activated: true };
      expect(await store.subscriptions.ofTarget(mine, { groupId: group.id })).toEqual([ofGroup]);
      for (const [end, id] of [
        ['groupId', group.id],
        ['channelId', channel.id],
      ] as const) {
        expect(await store.subscriptions.ofMany(mine, end, [id])).toEqual([ofGroup]);
        expect(await store.subscriptions.ofMany(theirs, end, [id])).toEqual([]);
      }
      expect(await store.subscriptions.ofMany(mine, 'checkId', [check.id])).toEqual([]);
      expect(await store.subscriptions.ofTarget(theirs, { groupId: group.id })).toEqual([]);
    });

    test("cannot reference another account's channel, and remain unchanged when rejected", async () => {
      const { store, mine, theirs } = current();
      const channel = await store.alertChannels.create(mine, { type: 'EMAIL', config: {} });
      const foreign = await store.alertChannels.create(theirs, { type: 'EMAIL', config: {} });
      const { id } = await store.checks.create(mine, dnsCheck());
      const choose = (channelId: number) =>
        store.subscriptions.set(mine, { checkId: id }, [{ channelId, activated: true }]);
      await choose(channel.id);
      await expect(choose(foreign.id)).rejects.toMatchObject({ reason: 'reference' });
      const kept = await store.subscriptions.ofTarget(mine, { checkId: id });
      expect(kept.map(({ channelId }) => channelId)).toEqual([channel.id]);
    });

    test('to all channels do not change existing ones', async () => {
      const { store, mine, theirs } = current();
      await store.alertChannels.create(theirs, { type: 'EMAIL', config: {} });
      const { id } = await store.checks.create(mine, dnsCheck());
      await store.subscriptions.subscribeToAll(mine, { checkId: id });
      expect(await store.subscriptions.ofTarget(mine, { checkId: id })).toEqual([]);
      const first = await store.alertChannels.create(mine, { type: 'EMAIL', config: {} });
      await store.subscriptions.set(mine, { checkId: id }, [{ channelId: first.id, activated: false }]);
      await store.alertChannels.create(mine, { type: 'EMAIL', config: {} });
      await store.subscriptions.subscribeToAll(mine, { checkId: id });
      const all = await store.subscriptions.ofTarget(mine, { checkId: id });
      expect(all.map(({ activated }) => activated)).toEqual([false, true]);
    });
  });

  describe('triggers', () => {
    test('are found only with their token, and record calls', async () => {
      const { store, mine, clock } = current();
      const group = await store.groups.create(mine, { name: 'group' });
      const { token } = await store.triggers.create(mine, { groupId: group.id });
      clock.step(9);
      expect(await store.triggers.find({ groupId: group.id }, `${token}x`)).toBeUndefined();
      expect(await store.triggers.find({ groupId: group.id + 1 }, token)).toBeUndefined();
      expect(await store.triggers.get(mine, { groupId: group.id })).toMatchObject({ calledAt: null });
      const found = await store.triggers.find({ groupId: group.id }, token);
      expect(found).toMatchObject({ accountId: mine, groupId: group.id, calledAt: null });
      await store.triggers.recordCall(Number(found?.id));
      expect(await store.triggers.get(mine, { groupId: group.id })).toEqual({
        ...found,
        calledAt: clock.now(),
      });
    });

    test("exist once per check, and never for another account's check", async () => {
      const { store, mine, theirs } = current();
      const { id: checkId } = await store.checks.create(mine, dnsCheck());
      await expect(store.triggers.create(theirs, { checkId })).rejects.toMatchObject({
        reason: 'reference',
      });
      await store.triggers.create(mine, { checkId });
      await expect(store.triggers.create(mine, { checkId })).rejects.toMatchObject({ reason: 'unique' });
      expect(await store.triggers.get(theirs, { checkId })).toBeUndefined();
      expect(await store.triggers.delete(theirs, { checkId })).toBe(false);
      expect(await store.triggers.delete(mine, { checkId })).toBe(true);
    });
  });
}
