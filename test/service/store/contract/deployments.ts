/** Tests what is stored of dashboards' incidents, of repetitions of windows, and of deployments. */
import { describe, expect, test } from 'vitest';
import type { DashboardIncidentBody } from '../../../../src/service/store/dashboard-incidents.ts';
import { dashboardNumber } from '../../../../src/service/store/dashboards.ts';
import type { StoreFixture } from '../contract.ts';

const TRIGGER = {
  repoId: '42',
  body: {
    ...{ repoName: 'acme/storefront', repoLink: '', useEnvironmentUrl: true, includeScreenshots: false },
    ...{ environmentRegexFilter: '^a$', environmentUrlRegexFilter: null, runLocation: 'us-east-1' },
  },
};

export function deploymentContract(current: () => StoreFixture): void {
  test('incidents of a dashboard are those that it shows at an instant, newest first', async () => {
    const { store, clock, mine, theirs } = current();
    const { id: dashboardId } = await store.dashboards.create(mine, {});
    const { id: otherId } = await store.dashboards.create(theirs, {});
    const now = clock.now();
    const at = (status: 'MONITORING' | 'RESOLVED', ms: number) => ({
      ...{ id: 'x', status, description: 'x', updated_at: null },
      created_at: new Date(now + ms).toISOString(),
    });
    const open = async (name: string, more: Partial<DashboardIncidentBody>, account = mine) => {
      await store.dashboardIncidents.create(account, {
        ...{ dashboardId, name, impact: 'MINOR', startedAt: null, stoppedAt: null },
        ...{ incidentUpdates: [at('MONITORING', 0)], ...more },
      });
      clock.step(1);
    };
    await open('always', {});
    await open('between', { startedAt: now + 100, stoppedAt: now + 300 });
    await open('resolved', { incidentUpdates: [at('RESOLVED', 200), at('MONITORING', 0)] });
    await open('theirs', { dashboardId: otherId }, theirs);
    const shown = async (ms: number, limit = 9) =>
      (await store.dashboardIncidents.shownAt(dashboardId, now + ms, limit)).map(({ body }) => body.name);
    expect(await shown(50)).toEqual(['resolved', 'always']);
    expect(await shown(100)).toEqual(['resolved', 'between', 'always']);
    expect(await shown(100, 1)).toEqual(['resolved']);
    expect(await shown(200)).toEqual(['between', 'always']);
    expect(await shown(300)).toEqual(['always']);
    const number = dashboardNumber(dashboardId);
    expect((await store.dashboards.byNumber(mine, number))?.id).toBe(dashboardId);
    expect(await store.dashboards.byNumber(theirs, number)).toBeUndefined();
    for (const wrong of [number + 1, 0, 2 ** 60])
      expect(await store.dashboards.byNumber(mine, wrong)).toBeUndefined();
    await store.dashboards.delete(mine, dashboardId);
    expect(await store.dashboardIncidents.count(mine)).toBe(0);
    expect(await store.dashboardIncidents.count(theirs)).toBe(1);
  });

  test('repetitions of a window that were moved or cancelled belong to its state', async () => {
    const { store, mine } = current();
    const body = { name: 'w', startsAt: '2026-11-21T00:00:00Z', endsAt: '2026-11-21T01:00:00Z' };
    const { id } = await store.maintenanceWindows.create(mine, { ...body, repeatUnit: null });
    const created = await store.maintenanceWindows.getWithState(mine, id);
    if (created === undefined) throw new Error('the window is missing');
    expect(created.state.exceptions).toEqual([]);
    const exceptions = [{ startsAt: body.startsAt, movedTo: null }];
    const version = await store.maintenanceWindows.version(mine);
    await store.maintenanceWindows.setState(mine, id, { ...created.state, exceptions });
    expect((await store.maintenanceWindows.listWithState(mine))[0]?.state.exceptions).toEqual(exceptions);
    expect(await store.maintenanceWindows.version(mine)).not.toBe(version);
  });

  describe('deployment triggers', () => {
    test('are of one target each, and go with it', async () => {
      const { store, mine, theirs } = current();
      const body = { name: 'c', request: { url: 'https://example.com' } };
      const { id: checkId } = await store.checks.create(mine, { type: 'URL', body });
      const { id: groupId } = await store.groups.create(mine, { name: 'g' });
      const { deploymentTriggers: all } = store;
      const ofCheck = await all.create(mine, { checkId }, TRIGGER);
      const ofGroup = await all.create(mine, { groupId }, { ...TRIGGER, repoId: '43' });
      expect(ofCheck).toMatchObject({ ...TRIGGER, checkId, groupId: null });
      expect(await all.list(mine)).toEqual([ofCheck, ofGroup]);
      expect(await all.list(theirs)).toEqual([]);
      expect(await all.get(mine, { groupId })).toEqual(ofGroup);
      expect(await all.get(theirs, { checkId })).toBeUndefined();
      expect(await all.ofRepository(mine, '42')).toEqual([ofCheck]);
      expect(await all.ofRepository(theirs, '42')).toEqual([]);
      await expect(all.create(mine, { checkId }, TRIGGER)).rejects.toMatchObject({ reason: 'unique' });
      const { id: own } = await store.groups.create(theirs, { name: 'g' });
      await expect(all.create(mine, { groupId: own }, TRIGGER)).rejects.toMatchObject({
        reason: 'reference',
      });
      expect(await all.delete(theirs, ofGroup.id)).toBe(false);
      expect(await all.delete(mine, ofGroup.id)).toBe(true);
      await store.checks.delete(mine, checkId);
      expect(await all.list(mine)).toEqual([]);
    });

    test('have a webhook, whose secret is replaced, and which takes each delivery once', async () => {
      const { store, clock, mine, theirs } = current();
      const { githubWebhooks: webhooks } = store;
      expect(await webhooks.get(mine)).toBeUndefined();
      const first = await webhooks.createSecret(mine);
      clock.step(1);
      const secret = await webhooks.createSecret(mine);
      expect(secret).not.toBe(first);
      expect(await webhooks.get(mine)).toEqual({ secret, createdAt: clock.now() });
      const at = await Promise.all([1, 2, 3].map(() => webhooks.recordDelivery(mine, 'a')));
      expect(at.filter(Boolean)).toHaveLength(1);
      expect(await webhooks.recordDelivery(theirs, 'a')).toBe(true);
      clock.step(31 * 24 * 60 * 60 * 1000);
      expect(await webhooks.recordDelivery(mine, 'b')).toBe(true);
      expect(await webhooks.recordDelivery(mine, 'a')).toBe(true);
    });
  });
}
