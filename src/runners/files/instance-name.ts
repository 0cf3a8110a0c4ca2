/** Which process a file in a shared folder belongs to, and whether that one is gone. */
import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { readProcessStat, readProcFile } from '../../sandbox/procfs.ts';

/** This boot, and the processes that are seen from here: the same number is another process elsewhere. */
function readPidNamespace(): string | undefined {
  const boot = (readProcFile('/proc/sys/kernel/random/boot_id') ?? '').slice(0, 8);
  try {
    return `${boot}.${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]}`;
  } catch {
    return undefined;
  }
}

function computeInstanceName(): string {
  const pid = Number(readProcFile('/proc/self/stat')?.split(' ')[0]);
  const namespace = readPidNamespace();
  const facts = namespace === undefined ? undefined : readProcessStat(pid);
  return facts === undefined ? `unknown-${randomUUID()}` : `${namespace}-${pid}-${facts.startedAt}`;
}

let instanceName: string | undefined;

/** The name of this process among all that may use a folder: letters, digits, `.` and `-`. */
export function getInstanceName(): string {
  instanceName ??= computeInstanceName();
  return instanceName;
}

/** Whether the process of that name is gone; undefined where that cannot be known, as on another machine. */
export function isInstanceGone(name: string): boolean | undefined {
  if (name === getInstanceName()) return false;
  const [, namespace, pid, startedAt] = /^([\da-f]+\.\d+)-(\d+)-(\d+)$/.exec(name) ?? [];
  if (namespace === undefined || namespace !== readPidNamespace()) return undefined;
  const facts = readProcessStat(Number(pid));
  return facts === undefined || facts.isZombie || facts.startedAt !== startedAt;
}
