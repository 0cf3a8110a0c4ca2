/** Tests that prepared statements handle lists of any length: each item once and in order. */
import { describe, expect, test } from 'vitest';
import { createRun } from '../../../../src/service/engine/sessions/plan-session.ts';
import { engineStore } from '../../../../src/service/store/engine/index.ts';
import type { StoreFixture } from '../contract.ts';
import { dnsCheck } from '../harness.ts';

const LENGTHS = [0, 1, 2, 4, 5, 17, 63, 64, 65, 130];
const RUNNING = { state: 'RUNNING', claimed_by: 'a worker', claimed_at: 0, lease_until: 1 } as const;

export function listContract(current: () => StoreFixture): void {
  describe.each(LENGTHS)('a list of %i', (length) => {
    const places = Array.from({ length }, (_, place) => place);

    test('is inserted, read and removed completely', async () => {
      const { store, mine } = current();
      const { id: checkId } = await store.checks.create(mine, dnsCheck());
      const { runs, sessions } = engineStore(store);
      const row = (place: number) => ({
        ...{ id: `session-${length}-${place}`, account_id: mine, check_id: checkId, test_session_id: null },
        ...{ check_name: 'a', check_type: 'DNS', status: 'STARTED', run_source: 'SCHEDULER' },
        ...{
          scheduled_at: place,
          started_at: place,
          stopped_at: null,
          ends_by: 1,
          locations: '[]',
          plan: null,
        },
        ...{ batch_id: null, batch_place: null, cancelled_at: null },
      });
      await sessions.insert(places.map(row));
      const ids = places.map((place) => row(place).id);
      expect((await sessions.byIds(ids)).map(({ id }) => id).sort()).toEqual([...ids].sort());
      expect((await sessions.lock(ids)).length).toBe(length);
      const ticks = places.map((place) => ({ checkId, tick: place }));
      expect((await sessions.ticksWithSession([...ticks, { checkId, tick: 1000 }])).size).toBe(length);

      const attempt = (place: number) => ({
        ...createRun({
          ...{ accountId: mine, sessionId: ids[place] ?? '', location: 'eu-west-1', timeoutMs: 1 },
          ...{ sequenceId: `sequence-${place}`, notBefore: 0, claimBy: 1 },
        }),
        ...RUNNING,
      });
      const numbers = await runs.insertNumbered(places.map(attempt));
      const held = (await runs.holders(numbers)).map((run) => [run.id, run.session_id, run.claimed_by]);
      expect(new Set(held.map(String))).toEqual(
        new Set(numbers.map((number, at) => String([number, ids[at], RUNNING.claimed_by]))),
      );
      expect((await runs.sessionsWithRuns(ids)).sort()).toEqual([...ids].sort());
      const seen = numbers.map((id) => ({ id, claimed_by: RUNNING.claimed_by }));
      const taken = new Map((await runs.removeClaimed(seen)).map((run) => [run.id, run.sequence_id]));
      expect(numbers.map((number) => taken.get(number))).toEqual(
        places.map((place) => attempt(place).sequence_id),
      );
      expect(await runs.removeClaimed(seen)).toEqual([]);

      await sessions.end(ids, 'STARTED', 'PASSED', 7);
      expect(
        (await sessions.byIds(ids)).every(({ status, ends_by }) => status === 'PASSED' && !ends_by),
      ).toBe(true);
    });

    test('of ticks is claimed once, by the caller that saw them', async () => {
      const { store, mine } = current();
      const checks = [];
      for (const place of places)
        checks.push(await store.checks.create(mine, dnsCheck(), { nextRunAt: place }));
      const { schedule } = engineStore(store);
      const ticks = checks.map(({ id }, place) => ({ id, from: place, to: place + 1000 }));
      expect(await schedule.advanceAll(ticks)).toEqual(new Set(checks.map(({ id }) => id)));
      expect(await schedule.advanceAll(ticks)).toEqual(new Set());
    });
  });
}
