/** Tests the rows of the last results of checks by location. */
import { describe, expect, test } from 'vitest';
import { parseActivity } from '../../../../src/service/store/check-activity.ts';
import type { StoreFixture } from '../contract.ts';
import { dnsCheck } from '../harness.ts';

const HOUR = 3_600_000;

export function checkLocationContract(current: () => StoreFixture): void {
  describe('last results by location', () => {
    test('add up, and only a newer one replaces the values, unless the clock was set back', async () => {
      const { store, mine, clock } = current();
      const { id } = await store.checks.create(mine, dnsCheck());
      const now = clock.now();
      const row = (fields: object) => ({
        ...{ check_id: id, location: 'eu-west-1', account_id: mine, status: 'passing' },
        ...{ result_id: 'one', good_result_id: 'one', started_at: now, response_time_us: 1500 },
        ...{ phases: '{"dns":1}', certificate: null, passed: 1, degraded: 0, failed: 0, errors: 0 },
        ...fields,
      });
      const bad = { status: 'failing', good_result_id: null, passed: 0, failed: 1 };
      const read = () => store.checkLocations.ofChecks([id]);
      const elsewhere = row({ location: 'us-east-1', result_id: 'there' });
      await store.checkLocations.record(now, [row({}), elsewhere]);
      const first = {
        ...{ checkId: id, accountId: mine, location: 'eu-west-1', status: 'passing', resultId: 'one' },
        ...{ goodResultId: 'one', startedAt: now, responseTime: 1.5, phases: { dns: 1 }, certificate: null },
        counts: { passed: 1, degraded: 0, failed: 0, errors: 0 },
      };
      expect(await read()).toMatchObject([first, { location: 'us-east-1', resultId: 'there' }]);
      const late = row({ ...bad, result_id: 'late', started_at: now - HOUR });
      await store.checkLocations.record(now, [late]);
      expect((await read())[0]).toEqual({ ...first, counts: { ...first.counts, failed: 1 } });
      await store.checkLocations.record(now - HOUR, [late]);
      expect((await read())[0]).toMatchObject({
        ...{ status: 'failing', resultId: 'late', goodResultId: 'one', startedAt: now - HOUR },
        counts: { passed: 1, failed: 2 },
      });
      await store.checkLocations.remove(id, ['eu-west-1']);
      expect(await read()).toMatchObject([{ location: 'us-east-1' }]);
      const [activity] = await store.checkActivity.list(5, mine);
      expect(activity?.id).toBe(id);
      expect(parseActivity(activity?.text ?? '')).toEqual({
        ...{ name: dnsCheck().body.name, type: 'DNS', isActive: true, status: null, lastEnded: null },
        locations: [
          {
            ...{ location: 'us-east-1', status: 'passing', startedAt: now, responseTime: 1.5 },
            ...{ phases: { dns: 1 }, certificate: null },
            counts: { passed: 1, degraded: 0, failed: 0, errors: 0 },
          },
        ],
      });
      expect(await store.checkLocations.checkIds('', 5)).toEqual([id]);
      await store.checks.delete(mine, id);
      expect(await read()).toEqual([]);
    });
  });
}
