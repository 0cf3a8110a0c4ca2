/** A service that is killed with kill -9 while scripts run: it says so when they do. */
import { openSandbox, type SandboxOptions } from '../../../src/sandbox/index.ts';

const [level = 'process', folder = '', mark = ''] = process.argv.slice(2);
const sandbox = await openSandbox({
  level: level as SandboxOptions['level'],
  folder,
  self: {
    pid: process.pid,
    execPath: process.execPath,
    kill: (pid, signal) => void process.kill(pid, signal),
  },
});
const cell = await sandbox.open();
const line = `trap '' TERM HUP INT; setsid sh -c 'sleep ${mark}' & sleep ${mark} & echo runs; wait`;
cell.spawn(['/bin/sh', '-c', line], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout?.pipe(process.stdout);
