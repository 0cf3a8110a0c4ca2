/** A short stretch of what `npm run endurance` does for an hour: kills, a full disk, a held file, a set clock, under mixed load. */
import { expect, it } from 'vitest';
import { endure } from '../support/endurance/endure.ts';
import { tableOf } from '../support/endurance/table.ts';

it('loses no write, no tick and no alert, tells nothing twice, leaves nothing behind and stays as large as it was, whatever happens to it', async () => {
  const endured = await endure({
    ...{ cycles: 1, faultsMs: 0, quietMs: 50_000 },
    faults: ['kill', 'full disk', 'clock forward', 'held file'],
    between: [1000, 3000],
    ...{
      workers: 3,
      restMs: 150,
      warmUpMs: 12_000,
      sampleMs: 2000,
      probeMs: 3000,
      startMs: 400,
      turnSeconds: 16,
    },
  });
  expect(endured.wrong, tableOf(endured)).toEqual([]);
  const { account, faults, writes, flat } = endured;
  expect(Object.keys(faults).length).toBeGreaterThan(2);
  expect(writes.acknowledged).toBeGreaterThan(50);
  expect(account.ticks.due).toBeGreaterThan(50);
  expect(account.alerts.taken).toBeGreaterThan(5);
  expect(account.incidents.opened).toBeGreaterThan(0);
  expect(account.artifacts).toBeGreaterThan(0);
  expect(account.gates).toBeGreaterThan(5);
  expect(flat.map(({ what }) => what)).toContain('entries of maps and sets, stretch 1');
}, 600_000);
