/** Which process a file in a shared folder belongs to, and whether that one is gone. */
import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { factsOf, procText } from '../../sandbox/procfs.ts';

/** This boot, and the processes that are seen from here: the same number is another process elsewhere. */
function world(): string | undefined {
  const boot = (procText('/proc/sys/kernel/random/boot_id') ?? '').slice(0, 8);
  try {
    return `${boot}.${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]}`;
  } catch {
    return undefined;
  }
}

function named(): string {
  const pid = Number(procText('/proc/self/stat')?.split(' ')[0]);
  const here = world();
  const facts = here === undefined ? undefined : factsOf(pid);
  return facts === undefined ? `unknown-${randomUUID()}` : `${here}-${pid}-${facts.startedAt}`;
}

let own: string | undefined;

/** The name of this process among all that may use a folder: letters, digits, `.` and `-`. */
export function thisInstance(): string {
  own ??= named();
  return own;
}

/** Whether the process of that name is gone; undefined where that cannot be known, as on another machine. */
export function isInstanceGone(name: string): boolean | undefined {
  if (name === thisInstance()) return false;
  const [, place, pid, startedAt] = /^([\da-f]+\.\d+)-(\d+)-(\d+)$/.exec(name) ?? [];
  if (place === undefined || place !== world()) return undefined;
  const facts = factsOf(Number(pid));
  return facts === undefined || facts.isZombie || facts.startedAt !== startedAt;
}
