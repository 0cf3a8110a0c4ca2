/** Alerts of checks that depend on others: explained, held, released, and never lost. */
import { describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { HOLD_MS } from '../../../../src/service/notify/alerts/dependency-hold.ts';
import { ask, call } from '../../../support/call.ts';
import { dependencyWorld } from './dependency-world.ts';
import { OURS } from './outcomes.ts';

const chain = async () => {
  const world = await dependencyWorld();
  await world.check('database');
  await world.check('api', ['database']);
  await world.check('page', ['api']);
  for (const name of ['database', 'api', 'page']) await world.run(name, 'good');
  return world;
};

describe('a check whose dependency fails', () => {
  it('sends nothing, also if it is the first that ends, and no recovery', async () => {
    const { run, expectAlerts } = await chain();
    await run('page', 'bad');
    await run('api', 'bad');
    await expectAlerts();
    await run('database', 'bad');
    await expectAlerts('database ALERT_FAILURE');
    await run('page', 'bad');
    await run('database', 'good');
    await run('api', 'good');
    await run('page', 'good');
    await expectAlerts('database ALERT_FAILURE', 'database ALERT_RECOVERY');
  });

  it('is reported if it still fails once all dependencies have run after their recovery', async () => {
    const { run, expectAlerts } = await chain();
    await run('database', 'bad');
    await run('page', 'bad');
    await run('database', 'good');
    await run('page', 'bad');
    await expectAlerts('database ALERT_FAILURE', 'database ALERT_RECOVERY');
    await run('database', 'good');
    await run('api', 'good');
    await expectAlerts('database ALERT_FAILURE', 'database ALERT_RECOVERY', 'page ALERT_FAILURE');
    await run('page', 'good');
    await expectAlerts(
      ...['database ALERT_FAILURE', 'database ALERT_RECOVERY', 'page ALERT_FAILURE', 'page ALERT_RECOVERY'],
    );
  });

  it('reports the recovery of a failure that was reported before', async () => {
    const { run, expectAlerts } = await chain();
    await run('page', 'bad');
    await run('database', 'good');
    await run('api', 'good');
    await expectAlerts('page ALERT_FAILURE');
    await run('database', 'bad');
    await run('page', 'good');
    await expectAlerts('page ALERT_FAILURE', 'database ALERT_FAILURE', 'page ALERT_RECOVERY');
  });
});

describe('a held alert', () => {
  it('is sent when all dependencies have passed since, and not before', async () => {
    const { run, expectAlerts } = await chain();
    await run('page', 'bad');
    await run('database', 'good');
    // Not a word about the target.
    await run('api', OURS);
    await expectAlerts();
    await run('api', 'good');
    await expectAlerts('page ALERT_FAILURE');
  });

  it('is sent after a limited time', async () => {
    const { run, clock, expectAlerts } = await chain();
    await run('page', 'bad');
    await clock.advance(HOLD_MS - 1000);
    await expectAlerts();
    await clock.advance(1000);
    await expectAlerts('page ALERT_FAILURE');
    await run('page', 'good');
    await expectAlerts('page ALERT_FAILURE', 'page ALERT_RECOVERY');
  });

  it('is not lost if the check recovers meanwhile', async () => {
    const { run, clock, expectAlerts } = await chain();
    await run('page', 'bad');
    await run('page', 'good');
    await expectAlerts();
    await clock.advance(HOLD_MS);
    await expectAlerts('page ALERT_FAILURE', 'page ALERT_RECOVERY');
  });

  it('is explained by a dependency that recovers before it is settled', async () => {
    const { run, clock, expectAlerts } = await chain();
    await run('page', 'bad');
    await run('page', 'good');
    await run('database', 'bad');
    await run('database', 'good');
    await clock.advance(HOLD_MS);
    await expectAlerts('database ALERT_FAILURE', 'database ALERT_RECOVERY');
  });
});

describe('a dependency that says nothing about the present', () => {
  it.each([
    ['is deactivated', { activated: false }],
    ['is in a deactivated group', 'group'],
    ['has never run', 'new'],
  ] as const)('delays nothing: %s', async (_, how) => {
    const { run, check, at, expectAlerts } = await dependencyWorld();
    const group = await at.store.groups.create(at.accountId, {
      ...{ name: 'g', activated: false, retryStrategy: 'FALLBACK' as const },
    });
    await check('database', [], how === 'group' ? { groupId: group.id } : how === 'new' ? {} : how);
    await check('page', ['database']);
    await run('page', 'bad');
    await expectAlerts('page ALERT_FAILURE');
  });

  it('delays nothing: it is in maintenance, or deleted', async () => {
    const { run, check, at, clock, expectAlerts, idOf } = await dependencyWorld();
    await check('database', [], { tags: ['maintained'] });
    await check('page', ['database']);
    await run('database', 'bad');
    await run('page', 'bad');
    await expectAlerts('database ALERT_FAILURE');
    const instant = (ms: number) => new Date(clock.now() + ms).toISOString();
    const body = { name: 'w', startsAt: instant(1000), endsAt: instant(3_600_000), repeatUnit: null };
    await at.store.maintenanceWindows.create(at.accountId, { ...body, tags: ['maintained'] } as never);
    await clock.advance(2000);
    await run('page', 'bad');
    await expectAlerts('database ALERT_FAILURE', 'page ALERT_FAILURE');
    await call(at, contract.deleteCheck, { params: { id: idOf('database') } });
    expect(await call(at, contract.getCheck, { params: { id: idOf('page') } })).toMatchObject({
      dependsOn: [],
    });
  });
});

describe('the list of dependencies', () => {
  const update = (world: Awaited<ReturnType<typeof chain>>, name: string, dependsOn: readonly string[]) =>
    ask(world.at, contract.updateCheck, { params: { id: world.idOf(name) }, body: { dependsOn } });

  it('refuses a way back to the check, and names it', async () => {
    const world = await chain();
    for (const [name, on, way] of [
      ['database', 'page', '"database" → "page" → "api" → "database"'],
      ['api', 'api', '"api" → "api"'],
    ] as const) {
      const { status, body } = await update(world, name, [world.idOf(on)]);
      expect([status, JSON.stringify(body)]).toEqual([
        400,
        expect.stringContaining(JSON.stringify(`makes the check depend on itself: ${way}`).slice(1, -1)),
      ]);
    }
  });

  it('refuses checks of other accounts, unknown ones, and too many', async () => {
    const world = await chain();
    const other = await world.at.newAccount();
    const foreign = await world.at.store.checks.create(other.accountId, {
      ...{ type: 'DNS', body: { name: 'x', request: { query: 'x' }, heartbeat: {}, script: '' } },
    });
    for (const [ids, message] of [
      [[foreign.id], 'does not match any check of this account'],
      [Array.from({ length: 21 }, (_, n) => `00000000-0000-4000-8000-0000000000${10 + n}`), '20'],
      [[world.idOf('api'), world.idOf('api')], 'dependsOn'],
    ] as const) {
      const { status, body } = await update(world, 'page', ids);
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(message)]);
    }
  });
});
