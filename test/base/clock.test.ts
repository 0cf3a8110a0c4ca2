/** The system's clock: it sleeps as long as it is told, and stops where it is told to. */
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';

describe("the system's clock", () => {
  it('sleeps for longer than one timer can, until it is told to stop', async () => {
    const stop = new AbortController();
    const order: string[] = [];
    const forEver = systemClock.sleep(1e15, stop.signal).then(
      () => order.push('woke'),
      () => order.push('was told to stop'),
    );
    // Node fires a timer beyond its range after 1 ms: well before this one.
    await systemClock.sleep(50);
    order.push('the short one was over');
    stop.abort(new Error('enough'));
    await forEver;
    expect(order).toEqual(['the short one was over', 'was told to stop']);
  });

  it('rejects with the reason of who stopped it', async () => {
    const reason = new Error('enough');
    await expect(systemClock.sleep(1e15, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
