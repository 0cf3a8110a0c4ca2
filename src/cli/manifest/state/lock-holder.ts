/** Describes the holder of a project's lock, and decides whether it is gone. */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { LockedError } from '../../../base/errors.ts';
import type { Deps } from '../../framework/index.ts';
import type { ProjectLock } from './project-state.ts';

/** What identifies the process that applies. */
export type Self = Pick<Deps['self'], 'pid' | 'kill'>;

/** A holder that has given no sign of life for so long has lost the lock, in ms. */
export const LEASE_MS = 60_000;

/** Returns a value that processes share only if one can see whether the other runs. Null: the system does not say. */
function identifyMachine(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    const identity = `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
    return createHash('sha256').update(identity).digest('hex').slice(0, 16);
  } catch {
    return null;
  }
}

function findUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'an unknown user';
  }
}

/** Returns a lock for this process. */
export function createLock({
  clock,
  random,
  self,
}: Pick<Deps, 'clock' | 'random'> & { readonly self: Self }): ProjectLock {
  const now = new Date(clock.now()).toISOString();
  return {
    id: random.uuid(),
    user: findUser(),
    host: hostname(),
    machine: identifyMachine(),
    pid: self.pid,
    since: now,
    renewedAt: now,
  };
}

/** Returns whether the process of a holder on this machine has ended. This process holds one lock at most. */
function hasEnded({ machine, pid }: ProjectLock, self: Self): boolean {
  if (machine === null || machine !== identifyMachine()) return false;
  if (pid === self.pid) return true;
  try {
    self.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Returns whether a holder may still apply. `silentMs`: the time since its last sign of life. */
export const isAlive = (lock: ProjectLock, silentMs: number, self: Self): boolean =>
  silentMs < LEASE_MS && !hasEnded(lock, self);

/** Formats `ann on build-7 (process 4711) since 2026-11-28T17:02:33.000Z`. */
export const formatHolder = ({ user, host, pid, since }: ProjectLock): string =>
  `${user} on ${host} (process ${pid}) since ${since}`;

export const lockedError = (project: string, lock: ProjectLock): LockedError =>
  new LockedError(`the project "${project}" is locked by ${formatHolder(lock)}; nothing was changed`, {
    hint: `wait for it with --lock-timeout 10m; a lock expires ${LEASE_MS / 1000} s after its holder has ended. If you are sure that the holder is gone, run: sonde unlock "${project}"`,
  });
