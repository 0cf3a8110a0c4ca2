/** What a service that has ended left behind: processes of its cells, folders, mounts. */
import { readdirSync } from 'node:fs';
import {
  listPids,
  type ProcessStat,
  readProcessStat,
  readProcFile,
} from '../../../src/sandbox/cell/procfs.ts';
import { temporaryOf } from './process.ts';

/** `began`: all processes that the service ever was; in an hour their ids are given to others. `kept`: mount points below home that are not its own. */
export function leftBehind(
  home: string,
  began: readonly Pick<ProcessStat, 'pid' | 'startedAt'>[],
  kept: readonly string[],
): string[] {
  const left: string[] = [];
  const own = new Map(began.map(({ pid, startedAt }) => [pid, startedAt]));
  for (const pid of listPids()) {
    const command = (readProcFile(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim();
    // The mark of a cell names the boot, the service's process and when that began.
    const mark = /(?:^|\0)SONDE_CELL=[^\0-]*-(\d+)-/.exec(readProcFile(`/proc/${pid}/environ`) ?? '')?.[1];
    const isOwn = own.has(pid) && readProcessStat(pid)?.startedAt === own.get(pid);
    if (isOwn || (mark !== undefined && own.has(Number(mark))) || command.includes(home)) {
      left.push(`process ${pid} is left: ${command.slice(0, 200)}`);
    }
  }
  for (const name of readdirSync(temporaryOf(home))) left.push(`${temporaryOf(home)}/${name} is left`);
  for (const line of (readProcFile('/proc/self/mounts') ?? '').split('\n')) {
    const [, at = ''] = line.split(' ');
    if (at.startsWith(home) && !kept.includes(at)) left.push(`${at} is still mounted`);
  }
  return left;
}
