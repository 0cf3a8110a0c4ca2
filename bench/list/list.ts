/**
 * What a long list costs in each form: `npm run bench:list [rows]`, 100,000 where none are named, beside a hundredth of them.
 * Prints the most memory that the process had, and its time.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { BINARY, bareEnv } from '../../test/support/binary.ts';
import { serveLongList } from '../../test/support/long-list.ts';
import { peakMemory } from '../gate/process.ts';

const FORMS = [
  '-o tsv',
  '-o csv',
  '-o jsonl',
  '-o jsonl --jq .name',
  '--json',
  '-o yaml',
  '-o table',
  '--jq length',
];

interface Cost {
  readonly memory: number;
  readonly seconds: number;
  readonly megabytes: number;
  readonly code: number | null;
}

async function measure(url: string, form: string, home: string): Promise<Cost> {
  const env = bareEnv(home, { SONDE_BASE_URL: url, SONDE_API_KEY: 'key-of-the-bench', TMPDIR: home });
  const args = [BINARY, 'maintenance', 'list', '--all', ...form.split(' ')];
  const began = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  let [memory, bytes] = [0, 0];
  const look = () => {
    memory = Math.max(memory, peakMemory(child.pid ?? 0) ?? 0);
  };
  const looking = setInterval(look, 20);
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    look();
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearInterval(looking);
  return { memory, seconds: (performance.now() - began) / 1000, megabytes: bytes / 1e6, code };
}

export async function main([given = '100000']: readonly string[]): Promise<number> {
  const most = Number(given);
  if (!Number.isInteger(most) || most < 100) {
    console.error(`The number of rows is 100 or more, not ${given}.`);
    return 2;
  }
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`);
  const home = await mkdtemp(join(tmpdir(), 'sonde-bench-list-'));
  const columns = ['form', 'rows', 'written', 'most memory', 'time'];
  const print = (cells: readonly string[]) =>
    console.log(cells.map((cell, index) => (index === 0 ? cell.padEnd(20) : cell.padStart(13))).join(''));
  print(columns);
  let isBroken = false;
  try {
    for (const form of FORMS) {
      for (const rows of [Math.floor(most / 100), most]) {
        const list = await serveLongList(rows);
        const { memory, seconds, megabytes, code } = await measure(list.url, form, home);
        await list.close();
        isBroken ||= code !== 0;
        const end = code === 0 ? '' : `  exit ${code}`;
        const cells = [form, String(rows), `${megabytes.toFixed(1)} MB`, `${memory.toFixed(0)} MB`];
        print([...cells, `${seconds.toFixed(1)} s${end}`]);
      }
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
  return isBroken ? 1 : 0;
}
