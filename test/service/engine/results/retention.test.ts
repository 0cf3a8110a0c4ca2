/** The keeper on a clock of the test's own: what is removed when, and what a clock that is set does to it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRetention } from '../../../../src/service/engine/retention/retention.ts';
import { listed, rawResults } from './contract.ts';
import { DAY, HOUR, type ResultsWorld, resultsWorld } from './support.ts';

const START = Date.parse('2026-08-01T00:00:00Z');
const KEEP = 30 * DAY;

let folder: string;
let at: ResultsWorld;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-keeper-'));
  at = await resultsWorld({ path: join(folder, 'store.db') }, START);
});
afterEach(async () => {
  await at.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the keeper', () => {
  const keeper = () =>
    startRetention(
      at.engine,
      { clock: at.clock, retentionMs: KEEP, locations: ['eu-west-1'] },
      (message, error) => {
        throw new Error(message, { cause: error });
      },
    );
  const raw = () => rawResults(at);

  it('keeps raw results for thirty days, and what they came to for ever', async () => {
    for (let hour = 0; hour < 40 * 24; hour += 12) await at.write({ at: START + hour * HOUR });
    at.clock.step(40 * DAY);
    const keeping = keeper();
    try {
      await at.clock.advance(6 * 60_000);
      expect(await raw()).toBe(30 * 2 - 1);
      const days = await listed(at, 'DAY');
      expect(days).toHaveLength(40);
      expect(days.every(({ passed }) => passed === 2)).toBe(true);
    } finally {
      await at.clock.run(keeping.stop());
    }
  });

  it('removes nothing for an hour after the clock was set: set back again, all is there', async () => {
    await at.write({ at: START });
    const keeping = keeper();
    try {
      await at.clock.advance(2 * HOUR);
      expect(await raw()).toBe(1);
      at.clock.step(365 * DAY);
      await at.clock.advance(50 * 60_000);
      at.clock.step(-365 * DAY);
      await at.clock.advance(2 * HOUR);
      expect(await raw()).toBe(1);
      at.clock.step(365 * DAY);
      await at.clock.advance(70 * 60_000);
      expect(await raw()).toBe(0);
      expect(await listed(at, 'HOUR')).toMatchObject([{ passed: 1 }]);
    } finally {
      await at.clock.run(keeping.stop());
    }
  });
});
