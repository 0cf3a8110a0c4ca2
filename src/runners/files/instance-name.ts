/** Names the process that owns a file in a shared folder, and checks whether it still runs. */
import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { readProcessStat, readProcFile } from '../../sandbox/cell/procfs.ts';

/** Returns the boot and the PID namespace, because the same PID is another process elsewhere. */
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

/** Returns the name of this process, unique among all users of a folder: letters, digits, `.` and `-`. */
export function getInstanceName(): string {
  instanceName ??= computeInstanceName();
  return instanceName;
}

/** Returns whether the named process has ended; undefined if that is unknown, for example on another machine. */
export function isInstanceGone(name: string): boolean | undefined {
  if (name === getInstanceName()) return false;
  const [, namespace, pid, startedAt] = /^([\da-f]+\.\d+)-(\d+)-(\d+)$/.exec(name) ?? [];
  if (namespace === undefined || namespace !== readPidNamespace()) return undefined;
  const facts = readProcessStat(Number(pid));
  return facts === undefined || facts.isZombie || facts.startedAt !== startedAt;
}
