/** Alerts about private locations without an agent: one at the beginning, one at the end, over real receivers. */
import { describe, expect, it } from 'vitest';
import {
  sendLocationAlerts,
  startLocationAlerts,
} from '../../../../src/service/notify/alerts/location-alerts.ts';
import { createManualClock } from '../../../support/clock.ts';
import { scene } from './scene.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-21T08:00:00Z');
const [BEGIN, END] = ['webhook ALERT_LOCATION', 'webhook ALERT_LOCATION_RECOVERY'];
const buildPageLink = (path: string) => `https://sonde.example${path}`;

/** A private location whose agent was seen now, and only a webhook that is alerted. */
async function locationScene({ muted = false } = {}) {
  const clock = createManualClock(START);
  const at = await scene({}, { clock });
  const { email, slack } = at.channels;
  for (const { id } of [email, slack]) await at.store.alertChannels.delete(at.accountId, id);
  const location = await at.store.privateLocations.create(at.accountId, {
    ...{ name: 'Cellar', slugName: 'cellar', muted },
  });
  return {
    at,
    clock,
    location,
    seen: (agent = 'one') => at.store.privateLocations.recordSeen(location.id, agent),
    left: (agent = 'one') => at.store.privateLocations.recordLeft(location.id, agent),
    search: (listensSince = START) => sendLocationAlerts(at.store, { buildPageLink, listensSince }),
  };
}

describe('a private location', () => {
  it('without an agent for a minute alerts once, and tells when an agent is back', async () => {
    const { at, clock, seen, search } = await locationScene();
    await seen();
    clock.step(MINUTE - 1);
    await search();
    expect(await at.alerts()).toEqual([]);
    clock.step(1);
    await Promise.all([search(), search()]);
    await search();
    expect(await at.alerts()).toEqual([BEGIN]);
    clock.step(10 * MINUTE);
    await seen('another');
    await Promise.all([search(), search()]);
    await search();
    expect(await at.alerts()).toEqual([BEGIN, END]);
    clock.step(2 * MINUTE);
    await search();
    expect(await at.alerts()).toEqual([BEGIN, END, BEGIN]);
  });

  it('that never had an agent alerts, too', async () => {
    const { at, clock, search } = await locationScene();
    clock.step(MINUTE);
    await search();
    expect(await at.alerts()).toEqual([BEGIN]);
  });

  it('does not alert while one of several agents works, or an agent is replaced within a minute', async () => {
    const { at, clock, seen, left, search } = await locationScene();
    await seen('one');
    await seen('two');
    clock.step(40_000);
    await left('one');
    clock.step(40_000);
    await search();
    expect(await at.alerts()).toEqual([]);
    await seen('two');
    await left('two');
    clock.step(50_000);
    await seen('three');
    await search();
    expect(await at.alerts()).toEqual([]);
    await left('three');
    clock.step(MINUTE);
    await search();
    expect(await at.alerts()).toEqual([BEGIN]);
  });

  it('does not alert for a time in which the service could not hear its agents', async () => {
    const { at, clock, seen, search } = await locationScene();
    await seen();
    clock.step(60 * MINUTE);
    await search(clock.now() - MINUTE + 1);
    expect(await at.alerts()).toEqual([]);
    await search(clock.now() - MINUTE);
    expect(await at.alerts()).toEqual([BEGIN]);
  });

  it('that is muted alerts nobody, and one that is deleted ends its alert', async () => {
    const muted = await locationScene({ muted: true });
    muted.clock.step(5 * MINUTE);
    await muted.search();
    expect(await muted.at.alerts()).toEqual([]);
    const { at, clock, location, search } = await locationScene();
    clock.step(MINUTE);
    await search();
    await at.store.privateLocations.delete(at.accountId, location.id);
    await search();
    await search();
    expect(await at.alerts()).toEqual([BEGIN, END]);
  });

  it('waits for the end of a window that silences all alerts', async () => {
    const { at, clock, search } = await locationScene();
    await at.store.maintenanceWindows.create(at.accountId, {
      ...{ name: 'move', silenceAllAlerts: true, repeatUnit: null, timezone: 'UTC' },
      ...{ startsAt: new Date(START - 1).toISOString(), endsAt: new Date(START + 5 * MINUTE).toISOString() },
    } as never);
    clock.step(2 * MINUTE);
    await search();
    expect(await at.alerts()).toEqual([]);
    clock.step(4 * MINUTE);
    await search();
    expect(await at.alerts()).toEqual([BEGIN]);
  });

  it('is found in the background, also by several services and after a restart', async () => {
    const { at, clock } = await locationScene();
    const errors: unknown[] = [];
    const options = {
      store: at.store,
      clock,
      buildPageLink,
      onError: (...given: unknown[]) => errors.push(given),
    };
    const searches = [startLocationAlerts(options), startLocationAlerts(options)];
    await clock.advance(2 * MINUTE);
    expect(await at.alerts()).toEqual([BEGIN]);
    for (const search of searches) await search.stop();
    const again = startLocationAlerts(options);
    await clock.advance(2 * MINUTE);
    await again.stop();
    expect(await at.alerts()).toEqual([BEGIN]);
    expect(errors).toEqual([]);
  });
});
