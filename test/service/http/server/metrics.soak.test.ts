/** `promtool check metrics`, the linter of Prometheus, has no remark about `/metrics`. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { formatRows } from '../../../clients/compatibility.ts';
import { needs } from '../../../support/needs.ts';
import { runEveryVerdict, startMetricsWorld } from './metrics-world.ts';

it('passes promtool check metrics without a remark', async (context) => {
  needs('promtool', 'prometheus')(context);
  const world = await startMetricsWorld();
  await runEveryVerdict(world);
  // The second scrape also has the request of the first one.
  await world.scrape();
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: await world.scrape(),
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  const rows = [{ area: '`/metrics` without a remark', works: true, since: 'next', note: '' }];
  const file = {
    client: 'Prometheus (`promtool check metrics`)',
    version: '',
    direction: 'client',
    rows,
  } as const;
  await expect(formatRows(file)).toMatchFileSnapshot('../../../clients/rows/prometheus.json');
});
