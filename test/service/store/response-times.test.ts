/** Tests aggregated response times: exact count, sum, minimum and maximum, and percentiles within 1 %. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aggregateTimes,
  mergeTimes,
  NO_TIMES,
  percentile,
} from '../../../src/service/store/engine/rollup-periods.ts';

const micros = fc.array(fc.oneof(fc.nat(10), fc.nat(5_000_000), fc.nat(3_600_000_000)), { maxLength: 200 });
const share = fc.constantFrom(0, 0.01, 0.5, 0.9, 0.95, 0.99, 1);

function exact(measured: readonly number[], of: number): number | undefined {
  return [...measured].sort((a, b) => a - b)[Math.max(1, Math.ceil(of * measured.length)) - 1];
}

describe('response times', () => {
  it('return percentiles within 1 %, and within minimum and maximum', () => {
    fc.assert(
      fc.property(micros, share, (measured, of) => {
        const [told, real] = [percentile(aggregateTimes(measured), of), exact(measured, of)];
        if (real === undefined || told === undefined) {
          expect(told).toBe(real);
          return;
        }
        expect(Math.abs(told - real)).toBeLessThanOrEqual(Math.max(1, real * 0.0101));
        expect(told).toBeGreaterThanOrEqual(Math.min(...measured));
        expect(told).toBeLessThanOrEqual(Math.max(...measured));
      }),
    );
  });

  it('merge to the same result in any order', () => {
    fc.assert(
      fc.property(micros, micros, micros, (a, b, c) => {
        const whole = aggregateTimes([...a, ...b, ...c]);
        expect(mergeTimes(aggregateTimes(a), mergeTimes(aggregateTimes(b), aggregateTimes(c)))).toEqual(
          whole,
        );
        expect(mergeTimes(mergeTimes(aggregateTimes(c), aggregateTimes(a)), aggregateTimes(b))).toEqual(
          whole,
        );
      }),
    );
  });

  it('survive serialization', () => {
    const times = aggregateTimes([12_345, 17, 0, 1]);
    expect(JSON.parse(JSON.stringify(times))).toEqual(times);
    expect(times).toMatchObject({ count: 4, sum: 12_363, least: 0, most: 12_345 });
  });

  it('are undefined without measurements', () => {
    expect(aggregateTimes([])).toEqual(NO_TIMES);
    expect(percentile(NO_TIMES, 0.5)).toBeUndefined();
  });

  it('are small: a day of a check that runs every second has a few hundred buckets', () => {
    const day = Array.from({ length: 86_400 }, (_, n) => 500 + ((n * 7919) % 2_000_000));
    expect(JSON.stringify(aggregateTimes(day)).length).toBeLessThan(6_000);
  });
});
