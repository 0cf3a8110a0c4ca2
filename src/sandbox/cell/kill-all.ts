/** Kills processes repeatedly until none is left, because processes may fork in between. */
import { setTimeout as delay } from 'node:timers/promises';
import { readProcessStat } from './procfs.ts';
import { errorCode, SandboxError } from './sandbox.ts';

export type Kill = (pid: number, signal: NodeJS.Signals | 0) => void;

/** Time for killed processes to end, in ms. A process that writes to a slow disk ends only after the write. */
const KILL_TIMEOUT_MS = 10_000;
const POLL_MS = 5;

/** Sends a signal. Returns false if the process does not exist. */
export function sendSignal(kill: Kill, pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    kill(pid, signal);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    if (errorCode(error) === 'EPERM') return true;
    throw error;
  }
}

const isRunning = (pid: number): boolean => {
  const facts = readProcessStat(pid);
  return facts !== undefined && !facts.isZombie;
};

/** Kills the listed processes until none is left. `sweep` kills many at once, without a gap for a fork. */
export async function killAll(
  listPids: () => readonly number[],
  kill: Kill,
  sweep?: () => Promise<void>,
): Promise<void> {
  const until = performance.now() + KILL_TIMEOUT_MS;
  for (
    let remaining = listPids().filter(isRunning);
    remaining.length > 0;
    remaining = listPids().filter(isRunning)
  ) {
    if (performance.now() > until)
      throw new SandboxError(
        `processes of a cell did not end after they were killed: ${remaining.join(', ')}`,
      );
    // Stop them first, because a stopped process does not fork.
    for (const pid of remaining) sendSignal(kill, pid, 'SIGSTOP');
    await sweep?.();
    for (const pid of remaining) sendSignal(kill, pid, 'SIGKILL');
    await delay(POLL_MS);
  }
}
