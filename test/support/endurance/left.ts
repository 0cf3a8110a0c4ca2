/** What a service that has ended left behind: processes of its cells, folders, mounts. */
import { readdirSync } from 'node:fs';
import { pidsOf, procText } from '../../../src/sandbox/procfs.ts';
import { temporaryOf } from './process.ts';

/** `pids`: all processes that the service ever was. `kept`: mount points below home that are not its own. */
export function leftBehind(home: string, pids: readonly number[], kept: readonly string[]): string[] {
  const left: string[] = [];
  const own = new Set(pids);
  for (const pid of pidsOf()) {
    const command = (procText(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim();
    // The mark of a cell names the boot, the service's process and when that began.
    const mark = /(?:^|\0)SONDE_CELL=[^\0-]*-(\d+)-/.exec(procText(`/proc/${pid}/environ`) ?? '')?.[1];
    if (own.has(pid) || (mark !== undefined && own.has(Number(mark))) || command.includes(home)) {
      left.push(`process ${pid} is left: ${command.slice(0, 200)}`);
    }
  }
  for (const name of readdirSync(temporaryOf(home))) left.push(`${temporaryOf(home)}/${name} is left`);
  for (const line of (procText('/proc/self/mounts') ?? '').split('\n')) {
    const [, at = ''] = line.split(' ');
    if (at.startsWith(home) && !kept.includes(at)) left.push(`${at} is still mounted`);
  }
  return left;
}
