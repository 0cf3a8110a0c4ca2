/** Several processes change the user's file at once, and some of them die. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listProfiles } from '../../src/profiles/store.ts';
import { type Home, makeHome } from './support/home.ts';

let folder = '';
let writer = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-writer-'));
  writer = join(folder, 'writer.cjs');
  await build({
    entryPoints: [join(__dirname, 'support', 'writer.ts')],
    outfile: writer,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['typescript'],
    logLevel: 'silent',
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Writer {
  readonly process: ChildProcessByStdio<null, Readable, Readable>;
  /** The names that it said were saved. */
  saved(): string[];
  /** Resolves to its exit code (null where it was killed) and what it complained of. */
  readonly ended: Promise<{ code: number | null; complaint: string }>;
}

function start({ home }: Home, prefix: string, count: number): Writer {
  const child = spawn(process.execPath, [writer, home, prefix, String(count)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let complaint = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  return {
    process: child,
    saved: () => printed.split('\n').slice(0, -1),
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, complaint })),
  };
}

function names(prefixes: readonly string[], count: number): string[] {
  return prefixes
    .flatMap((prefix) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`))
    .sort();
}

/** What a process that died with the lock leaves: the folder, not renewed since. */
function abandonLock(path: string): void {
  mkdirSync(`${path}.lock`, { recursive: true });
  age(`${path}.lock`);
}

function age(path: string): void {
  const past = Date.now() / 1000 - 60;
  utimesSync(path, past, past);
}

test('several processes that save at once lose nothing', async () => {
  const home = makeHome();
  const prefixes = ['a', 'b', 'c', 'd'];
  const writers = prefixes.map((prefix) => start(home, prefix, 8));
  for (const { ended } of writers) expect(await ended).toEqual({ code: 0, complaint: '' });
  const { profiles } = listProfiles(home.context());
  expect([...profiles.keys()].sort()).toEqual(names(prefixes, 8));
});

test('processes that find the lock of a dead one all get their turn and lose nothing', async () => {
  const home = makeHome();
  mkdirSync(dirname(home.userFile), { recursive: true });
  abandonLock(home.userFile);
  const prefixes = ['a', 'b', 'c', 'd', 'e', 'f'];
  const writers = prefixes.map((prefix) => start(home, prefix, 3));
  for (const { ended } of writers) expect(await ended).toEqual({ code: 0, complaint: '' });
  const { profiles } = listProfiles(home.context());
  expect([...profiles.keys()].sort()).toEqual(names(prefixes, 3));
  expect(readdirSync(dirname(home.userFile))).toEqual(['config.yaml']);
});

test('a process killed at any moment leaves a whole file with all that it said was saved', async () => {
  const home = makeHome();
  const promised: string[] = [];
  for (let round = 0; round < 6; round++) {
    const victim = start(home, `round${round}`, 1_000);
    // Each round lets it get a little further, then kills it in the middle of whatever it does.
    await new Promise<void>((resolve) => {
      victim.process.stdout.on('data', () => {
        if (victim.saved().length > round) resolve();
      });
    });
    victim.process.kill('SIGKILL');
    expect((await victim.ended).code).toBeNull();
    promised.push(...victim.saved());
    const { profiles } = listProfiles(home.context());
    for (const name of promised) expect(profiles.get(name)?.apiKey?.reveal()).toContain(`key-of-${name}-`);
    if (existsSync(`${home.userFile}.lock`)) age(`${home.userFile}.lock`);
  }
  expect(home.warnings).toEqual([]);
});

test('what a killed process left half written is not taken for the file, and goes with the next change', async () => {
  const home = makeHome();
  home.writeUserFile('current: kept\nprofiles:\n  kept:\n    baseUrl: https://kept.example.com\n');
  home.write(`${home.userFile}.new`, 'profiles:\n  half:\n    apiKey: key-of-ha', 0o644);
  abandonLock(home.userFile);
  expect([...listProfiles(home.context()).profiles.keys()]).toEqual(['kept']);
  expect(await start(home, 'next', 1).ended).toEqual({ code: 0, complaint: '' });
  expect([...listProfiles(home.context()).profiles.keys()]).toEqual(['kept', 'next-0']);
  expect(readdirSync(dirname(home.userFile))).toEqual(['config.yaml']);
  expect(readFileSync(home.userFile, 'utf8')).not.toContain('half');
});
