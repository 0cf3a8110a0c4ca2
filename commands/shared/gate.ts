/** What the commands that hold a gate have in common: their options and the codes they end with. */
import { choice, duration, flag } from '../kernel/options.ts';
import type { ExitNote } from '../kernel/types.ts';

export const gateOptions = {
  timeout: duration('When to give up; the verdict is then unknown', { standard: '10m' }),
  failOn: choice(['degraded'], 'Count sessions that ended so as bad, too'),
  failFast: flag('End at the first bad verdict'),
};

export const gateExits: readonly ExitNote[] = [
  [0, 'every session was seen to end well'],
  [1, 'a session failed or timed out'],
  [6, 'the service was out of reach at the deadline'],
  [7, 'a session was still running at the deadline: the verdict is unknown'],
  [8, 'a session was cancelled'],
];
