/** Heartbeats with a cron expression on a clock that is set: their times are those of the wall clock. */
import { describe, expect, it } from 'vitest';
import { applyClockStep, type HeartbeatTimes } from '../../../../src/service/engine/heartbeats/state.ts';
import { timesOf } from '../../../../src/service/engine/heartbeats/times.ts';
import { IDLE_JOB } from '../../../../src/service/store/heartbeats.ts';

const MINUTE = 60_000;
const at = (time: string) => Date.parse(`2026-11-${time}Z`);
const nightly: HeartbeatTimes = timesOf({
  ...{ periodMs: 86_400_000, graceMs: 10 * MINUTE, cron: '0 3 * * *', timezone: 'UTC' },
});

describe('a nightly job at 3:00 with ten minutes of grace', () => {
  it.each([
    ['set back, its time is still ahead', '24T02:50', '24T00:50', '24T03:10', '24T03:10'],
    ['set back by less than three hours, it is not repeated', '24T03:20', '24T01:20', '25T03:10', '25T03:10'],
    ['set back by days, the next time counts', '24T03:20', '20T03:20', '25T03:10', '21T03:10'],
    ['set on over its time, it is not expected', '24T02:50', '24T07:50', '24T03:10', '25T03:10'],
    ['set on over a weekend, none of them is', '24T02:50', '27T02:50', '24T03:10', '27T03:10'],
    [
      'set on by seconds over its deadline, it has a minute',
      '24T03:09:50',
      '24T03:10:20',
      '24T03:10',
      '24T03:11:20',
    ],
  ])('%s', (_, before, after, due, expected) => {
    const state = {
      state: 'UP',
      lastPingAt: at('23T03:00'),
      recordedAt: at('23T03:00'),
      job: IDLE_JOB,
    } as const;
    const step = at(after) - at(before);
    const next = applyClockStep({ ...state, dueAt: at(due) }, nightly, step, at(after));
    expect(new Date(next.dueAt ?? 0).toISOString()).toBe(new Date(at(expected)).toISOString());
    expect(next.lastPingAt).toBe(at('23T03:00') + step);
  });
});
