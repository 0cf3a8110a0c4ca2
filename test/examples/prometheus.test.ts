/** The examples for Prometheus and Grafana select only series and labels that a real scrape has. */
import { expect, it } from 'vitest';
import { createAlertChannel } from '../../src/contract/index.ts';
import { parseExposition } from '../service/http/server/exposition.ts';
import { runEveryVerdict, startMetricsWorld } from '../service/http/server/metrics-world.ts';
import { BAD, GOOD } from '../service/notify/alerts/outcomes.ts';
import { call } from '../support/call.ts';
import { eventually } from '../support/eventually.ts';
import { type Panel, panelQueries, readDashboard, readRules, selectedSeries } from './prometheus-queries.ts';

/** Labels that Prometheus itself adds. */
const TARGET_LABELS = ['job', 'instance'];

it('select series and labels of /metrics', async () => {
  const world = await startMetricsWorld();
  const { passing } = await runEveryVerdict(world);
  await call(world, createAlertChannel, {
    body: {
      ...{
        type: 'WEBHOOK',
        sendFailure: true,
        config: { name: 'ops', url: 'http://127.0.0.1:9/', method: 'POST' },
      },
      subscriptions: [{ checkId: passing, activated: true }],
    } as never,
  });
  await world.run(passing, BAD);
  await eventually(async () => expect(await world.scrape()).toContain('sonde_deliveries_total{'));
  const tls = {
    host: 'a.example',
    validTo: '2030-01-01T00:00:00.000Z',
    fingerprint: Array(32).fill('0A').join(':'),
  };
  await world.run(passing, { ...GOOD, details: { tls, timing: { dns: 1 } } });
  const labelsOf = new Map<string, Set<string>>();
  for (const { samples } of parseExposition(await world.scrape()))
    for (const { name, labels } of samples)
      labelsOf.set(name, new Set([...(labelsOf.get(name) ?? []), ...Object.keys(labels)]));
  const definitions = readDashboard().templating.list.flatMap(({ definition = '' }) => definition);
  const queries = [...readRules().map(({ expr }) => expr), ...panelQueries(), ...definitions];
  const names = queries.flatMap((query) => selectedSeries(query).names);
  expect(new Set(names).size).toBeGreaterThan(20);
  for (const query of queries) {
    const selected = selectedSeries(query);
    expect(
      selected.names.filter((name) => !labelsOf.has(name)),
      query,
    ).toEqual([]);
    const known = new Set([
      ...selected.names.flatMap((name) => [...(labelsOf.get(name) ?? [])]),
      ...TARGET_LABELS,
    ]);
    expect(
      selected.labels.filter((label) => !known.has(label)),
      query,
    ).toEqual([]);
  }
});

it('have panels with their own IDs, in the grid, that do not overlap', () => {
  const { panels } = readDashboard();
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const overlap = ({ gridPos: one }: Panel, { gridPos: other }: Panel) =>
    one.x < other.x + other.w &&
    other.x < one.x + one.w &&
    one.y < other.y + other.h &&
    other.y < one.y + one.h;
  for (const [index, panel] of panels.entries()) {
    expect(panel.gridPos.x + panel.gridPos.w, panel.title).toBeLessThanOrEqual(24);
    expect(
      panels
        .slice(index + 1)
        .filter((other) => overlap(panel, other))
        .map(({ title }) => title),
    ).toEqual([]);
    if (panel.type !== 'row') expect(panel.targets?.length, panel.title).toBeGreaterThan(0);
  }
});
