/** A short stretch of what `npm run endurance` does for an hour: kills, a full disk, a held file, under mixed load. */
import { beforeAll, expect, it } from 'vitest';
import { built } from '../support/binary.ts';
import { endure } from '../support/endurance/endure.ts';

beforeAll(() => built());

it('loses nothing that was acknowledged, no tick and no alert, whatever happens to it', async () => {
  const endured = await endure({
    minutes: 0.4,
    faults: ['kill', 'full disk', 'held file', 'clock forward', 'kill'],
    between: [800, 2500],
    workers: 4,
  });
  expect(endured.wrong).toEqual([]);
  expect(Object.keys(endured.faults).length).toBeGreaterThan(1);
  expect(endured.writes.acknowledged).toBeGreaterThan(50);
  expect(endured.audit.ticks).toBeGreaterThan(10);
}, 180_000);
