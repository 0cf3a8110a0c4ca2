/** A process that opens a sandbox as a service does, lets each attack run in a cell of its own, and prints what came of them as JSON. */
import { watch } from 'node:fs';
import { join } from 'node:path';
import { closeInheritedFiles } from '../../../src/sandbox/cell/procfs.ts';
import { type IsolationLevel, openSandbox } from '../../../src/sandbox/index.ts';
import { ATTACKS } from './attacks.ts';

closeInheritedFiles();
const [level = '', folder = '', network = 'machine'] = process.argv.slice(2);
const sandbox = await openSandbox({
  level: level as IsolationLevel | 'auto',
  network: network as 'machine' | 'none',
  folder: join(folder, 'cells'),
  readable: [join(folder, 'readable')],
  hidden: [join(folder, 'data')],
  home: join(folder, 'home'),
  self: {
    pid: process.pid,
    execPath: process.execPath,
    kill: (pid, signal) => void process.kill(pid, signal),
  },
});

/** Whether this process can still watch a file, of which its user has only so many. */
function canWatch(): boolean {
  try {
    watch(folder).close();
    return true;
  } catch {
    return false;
  }
}

const reports: Record<string, unknown> = {};
for (const [name, { script, limits = {} }] of Object.entries(ATTACKS)) {
  const cell = await sandbox.open(limits);
  const program = cell.spawn(['/bin/sh', '-c', script, 'sh', folder], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let watches: boolean | undefined;
  for (const stream of [program.stdout, program.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-4000);
      if (said.includes('held')) watches ??= canWatch();
    });
  await new Promise((resolve) => program.once('close', resolve));
  reports[name] = { said: said.trim(), exceeded: cell.exceeded(), watches };
  await cell.close();
}
await sandbox.close();
console.log(JSON.stringify({ description: sandbox.describe(), reports }));
