/** What was acknowledged is there after kill -9, and the store opens again each time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../../src/service/store/index.ts';
import { dependencies } from './harness.ts';

const ROUNDS = 24;
const MOST_ACKNOWLEDGED = 60;

const folder = mkdtempSync(path.join(tmpdir(), 'sonde-durable-'));
const writer = path.join(folder, 'writer.cjs');
const file = path.join(folder, 'store.db');

beforeAll(async () => {
  await build({
    entryPoints: [path.join(__dirname, 'durability-writer.ts')],
    outfile: writer,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['libsql', 'pg'],
    // Real imports would look for libsql beside the bundle; `require` follows NODE_PATH.
    supported: { 'dynamic-import': false },
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lets a writer acknowledge so many pairs, kills it, and tells all that it acknowledged before it died. */
async function killedAfter(acknowledgements: number): Promise<string[]> {
  const child = spawn(process.execPath, [writer, file], {
    env: { NODE_PATH: path.resolve('node_modules') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    if (lines.length === acknowledgements + 1) child.kill('SIGKILL');
  });
  expect(await closed).toEqual([null, 'SIGKILL']);
  expect(lines[0]).toBe('opening');
  return lines.slice(1);
}

test(`nothing acknowledged is lost in ${ROUNDS} kills at any moment`, { timeout: 180_000 }, async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // The first kills come while the store is made and opened, the others among the writes.
    const after = round < 4 ? 0 : Math.floor(Math.random() * MOST_ACKNOWLEDGED) + 1;
    acknowledged.push(...(await killedAfter(after)));
    const store = await openStore({ path: file }, dependencies());
    const account = (await store.accounts.list())[0];
    const kept = account ? await store.variables.list(account.id) : [];
    const pairs = account ? await store.snippets.list(account.id) : [];
    await store.close();
    const keys = new Set(kept.map(({ body }) => body.key));
    expect(acknowledged.filter((key) => !keys.has(key))).toEqual([]);
    expect(new Set(pairs.map(({ body }) => body.name))).toEqual(keys);
  }
  expect(acknowledged.length).toBeGreaterThan(ROUNDS);
});
