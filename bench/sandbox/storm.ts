/** A thousand runs in cells, some of a real Chromium, whose scripts leave behind what they can: in the end nothing may be left. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listPids, readProcFile } from '../../src/sandbox/cell/procfs.ts';
import {
  createPool,
  type IsolationLevel,
  openSandbox,
  type SandboxOptions,
} from '../../src/sandbox/index.ts';
import { chromiumPath } from '../../test/support/chromium.ts';

const MB = 1024 ** 2;

interface Storm {
  readonly runs: number;
  readonly level: IsolationLevel | 'auto';
  /** Every so many runs one starts this browser. */
  readonly chromium?: { readonly path: string; readonly every: number };
  readonly self: SandboxOptions['self'];
}

interface Left {
  readonly level: IsolationLevel;
  readonly runs: number;
  /** Runs that found a cell that waited. */
  readonly warm: number;
  readonly browsers: number;
  /** Command lines of processes that are left. */
  readonly processes: readonly string[];
  readonly folders: readonly string[];
  readonly seconds: number;
}

/** Marks a file, hides a process in a session of its own without an environment, ignores signals, and ends well or badly. */
const leaving = (mark: string): string => `
echo ${mark} > left; echo ${mark} > "\${TMPDIR:-/tmp}/${mark}"
(trap '' TERM HUP INT; setsid sh -c 'sleep ${mark}' > /dev/null 2>&1 &) ; sleep ${mark} > /dev/null 2>&1 &
echo started`;

export async function storm({ runs, level, chromium, self }: Storm): Promise<Left> {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-storm-'));
  const cells = join(folder, 'cells');
  const mark = `77777.${self.pid}`;
  const from = performance.now();
  const sandbox = await openSandbox({ level, folder: cells, self });
  const [counts, errors] = [{ warm: 0, browsers: 0, next: 0 }, [] as unknown[]];
  const pool = createPool({
    ...{ size: 2, maxInUse: 4, makeWhileInUse: 1 },
    open: () => sandbox.open({ memoryBytes: 2048 * MB }),
    warm: async (cell) => cell.spawn(['/bin/sh'], { stdio: ['pipe', 'pipe', 'ignore'] }),
    isReady: (shell) => shell.exitCode === null && shell.signalCode === null,
    onError: (error) => void errors.push(error),
  });

  async function oneRun(number: number): Promise<void> {
    const { cell, warm: shell, wasWaiting, close } = await pool.acquire();
    try {
      counts.warm += wasWaiting ? 1 : 0;
      const hasStarted = new Promise((resolve) => shell.stdout?.once('data', resolve));
      shell.stdin?.write(`${leaving(mark)}\n`);
      await hasStarted;
      if (chromium && number % chromium.every === 0) {
        const page = 'data:text/html,<b>seen</b>';
        const words = [
          '--headless=new',
          '--disable-gpu',
          `--user-data-dir=${cell.folder}/profile`,
          '--dump-dom',
          page,
        ];
        const browser = cell.spawn([chromium.path, ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
        let text = '';
        browser.stdout?.on('data', (piece: Buffer) => {
          text += piece.toString();
        });
        await new Promise((resolve) => browser.once('close', resolve));
        if (!text.includes('seen')) throw new Error(`the browser showed nothing in run ${number}`);
        counts.browsers += 1;
      }
    } finally {
      await close();
    }
  }

  async function inTurn(): Promise<void> {
    for (let number = ++counts.next; number <= runs; number = ++counts.next) {
      // Whoever comes at once is given what is being made: one in ten comes later.
      while (number % 10 === 1 && pool.status().waiting === 0 && errors.length === 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
      await oneRun(number);
    }
  }

  try {
    await Promise.all([inTurn(), inTurn()]);
    await pool.close();
  } finally {
    await sandbox.close();
  }
  if (errors.length > 0) throw errors[0];
  const processes = listPids().flatMap((pid) => {
    const line = readProcFile(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ') ?? '';
    return line.includes(mark) || line.includes(folder) ? [line] : [];
  });
  const folders = existsSync(cells) ? readdirSync(cells, { recursive: true }).map(String) : [];
  rmSync(folder, { recursive: true, force: true });
  const seconds = (performance.now() - from) / 1000;
  return {
    level: sandbox.level,
    runs,
    warm: counts.warm,
    browsers: counts.browsers,
    processes,
    folders,
    seconds,
  };
}

/** `npm run storm:sandbox [runs] [level]` */
export async function main([runs = '1000', level = 'auto']: readonly string[]): Promise<number> {
  const path = await chromiumPath();
  const self = {
    pid: process.pid,
    execPath: process.execPath,
    kill: (pid: number, signal: NodeJS.Signals | 0) => void process.kill(pid, signal),
  };
  const asked = { runs: Number(runs), level: level as IsolationLevel | 'auto', self };
  const left = await storm({ ...asked, chromium: { path, every: 50 } });
  console.log(JSON.stringify(left, undefined, 2));
  return left.processes.length + left.folders.length === 0 ? 0 : 1;
}
