/** Kills processes until none is left: each look may find what was forked since the last. */
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, SandboxError } from './errors.ts';
import { readProcessStat } from './procfs.ts';

export type Kill = (pid: number, signal: NodeJS.Signals | 0) => void;

/** How long killed processes may take to be gone, in ms: one that writes to a slow disk ends when that is done. */
const KILL_TIMEOUT_MS = 10_000;
const POLL_MS = 5;

/** Sends a signal; false where nobody is there. */
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

/**
 * Kills all that `find` gives until it gives none. `sweep` is sent before each round: what kills many at once, without a
 * gap for a fork. Throws SandboxError where some do not end.
 */
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
    // Stopped first: what does not run does not fork.
    for (const pid of remaining) sendSignal(kill, pid, 'SIGSTOP');
    await sweep?.();
    for (const pid of remaining) sendSignal(kill, pid, 'SIGKILL');
    await delay(POLL_MS);
  }
}
