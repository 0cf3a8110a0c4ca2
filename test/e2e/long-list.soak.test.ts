/** Long lists flow through: in constant memory, no faster than they are read, and whole or not at all where that is promised. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bareEnv, shell, sonde, watchSonde } from '../support/binary.ts';
import { emptyHome } from '../support/e2e.ts';
import { serveLongList } from '../support/long-list.ts';

const LENGTH = 50_000;

let home: Awaited<ReturnType<typeof emptyHome>>;
beforeAll(async () => {
  home = await emptyHome();
});
afterAll(() => home.remove());

async function longList(length: number, options: Parameters<typeof serveLongList>[1] = {}) {
  const list = await serveLongList(length, options);
  onTestFinished(() => list.close());
  const env = bareEnv(home.home, {
    SONDE_BASE_URL: list.url,
    SONDE_API_KEY: 'a-key-of-the-test',
    TMPDIR: home.home,
  });
  return { ...list, env };
}

describe('a long list', () => {
  // Its rows come to more than 22 MB of text: gathered they would not fit, and Node would end itself.
  const NODE_OPTIONS = '--max-old-space-size=32';

  it.each([
    [['-o', 'tsv'], (text: string) => text.split('\n').length - 1],
    [['-o', 'csv'], (text: string) => text.split('\r\n').length - 2],
    [['-o', 'jsonl'], (text: string) => text.split('\n').length - 1],
    [['-o', 'jsonl', '--jq', '.id'], (text: string) => text.split('\n').length - 1],
    [['--json'], (text: string) => (JSON.parse(text) as unknown[]).length],
    [['-o', 'yaml', '--fields', 'id'], (text: string) => text.split('\n').length - 1],
  ])('passes through little memory with %j', async (form, count) => {
    const { env, requests } = await longList(LENGTH);
    const ran = await sonde(['maintenance', 'list', '--all', ...form], { env: { ...env, NODE_OPTIONS } });
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
    expect(count(ran.stdout)).toBe(LENGTH);
    expect(requests()).toBe(LENGTH / 1000 + 1);
  });

  it('would not fit into it', async () => {
    const { env } = await longList(LENGTH);
    const ran = await sonde(['maintenance', 'list', '--all', '-o', 'table'], {
      env: { ...env, NODE_OPTIONS },
    });
    expect(ran.stderr).toContain('heap out of memory');
  });
});

it('is asked for no faster than it is read', async () => {
  const { env, requests } = await longList(LENGTH);
  const running = watchSonde(['maintenance', 'list', '--all', '-o', 'jsonl'], { env });
  running.child.stdout.pause();
  // The pipe and what reads it take some hundred kilobytes; a page has four hundred. Then nothing moves any more.
  let before = -1;
  while (requests() === 0 || requests() !== before) {
    before = requests();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  expect(requests()).toBeLessThan(5);
  running.child.stdout.resume();
  const { code, stdout } = await running.ended;
  expect({ code, lines: stdout.split('\n').length - 1 }).toEqual({ code: 0, lines: LENGTH });
});

it.each(['tsv', 'csv', 'jsonl'])(
  'ends quietly with its reader, and asks for no more: -o %s',
  async (form) => {
    const { env, requests } = await longList(LENGTH);
    const line = `sonde maintenance list --all -o ${form} | head -1; exit "\${PIPESTATUS[0]}"`;
    const { code, stdout, stderr } = await shell(line, { env });
    expect({ code, stderr, lines: stdout.split('\n').length }).toEqual({ code: 0, stderr: '', lines: 2 });
    expect(requests()).toBeLessThan(5);
  },
);

it.each([['--json'], ['-o', 'yaml'], ['--jq', '.']])(
  'is nothing where a late page fails, with %s %s, and leaves no file',
  async (...form) => {
    const { env } = await longList(LENGTH, { breaksAt: 20 });
    const { code, stdout, stderr } = await sonde(['maintenance', 'list', '--all', ...form], { env });
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain('no more of this');
    expect(readdirSync(home.home)).toEqual([]);
  },
);

it('has no file with a name while it is gathered, and none after kill -9', async () => {
  const { env, requests } = await longList(LENGTH);
  const running = watchSonde(['maintenance', 'list', '--all', '--json'], { env });
  while (requests() < 20) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(readdirSync(home.home)).toEqual([]);
  running.child.kill('SIGKILL');
  await running.ended;
  expect(readdirSync(home.home)).toEqual([]);
});

it('says where it found no room for the whole', async () => {
  const { env } = await longList(5000);
  const { code, stdout, stderr } = await sonde(['maintenance', 'list', '--all', '--json'], {
    env: { ...env, TMPDIR: '/nowhere/at/all' },
  });
  expect({ code, stdout }).toEqual({ code: 74, stdout: '' });
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      kind: 'output',
      message: expect.stringContaining('/nowhere/at/all'),
      hint: expect.stringContaining('TMPDIR'),
    },
  });
});
