/** What tells a stuck agent from a busy one. */
import { expect, it } from 'vitest';
import { createLiveness } from '../../src/agent/health.ts';
import { createManualClock } from '../support/clock.ts';

it('an agent that has said when it goes on is alive until long after, and then is not', async () => {
  const clock = createManualClock();
  const pulse = createLiveness(clock);
  pulse.beat(240_000);
  await clock.advance(240_000 + 59_000);
  expect(pulse.isAlive()).toBe(true);
  await clock.advance(2000);
  expect(pulse.isAlive()).toBe(false);
  pulse.beat(1000);
  expect(pulse.isAlive()).toBe(true);
});

it('a machine whose clock is set takes no agent for stuck', async () => {
  const clock = createManualClock();
  const pulse = createLiveness(clock);
  pulse.beat(1000);
  clock.step(86_400_000);
  expect(pulse.isAlive()).toBe(true);
});
