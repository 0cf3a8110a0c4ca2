/** The entry by itself: which bundle it loads, which exit code it sets, what signals do. Its bundles are stand-ins. */
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../scripts/build.mjs';

const entry = join(import.meta.dirname, '../../dist/sonde.cjs');

beforeAll(async () => void (await build()));

/** A folder with the entry and stand-ins for bundles: each is the body of `main(host)`. */
async function install(bundles: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-entry-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(entry, join(folder, 'sonde.cjs'));
  await mkdir(join(folder, 'commands'));
  for (const [name, body] of Object.entries(bundles)) {
    await writeFile(join(folder, 'commands', `${name}.cjs`), `exports.main = (host) => { ${body} };`);
  }
  return join(folder, 'sonde.cjs');
}

function start(script: string, args: readonly string[]) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      said[name] += chunk;
    });
  }
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, ...said }));
  });
  const ready = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  return { child, ended, ready };
}

const TELL = 'process.stdout.write(JSON.stringify(host.argv)); return Promise.resolve(0);';

describe('the entry', () => {
  it('answers --version without any bundle', async () => {
    const script = await install({});
    expect(await start(script, ['--version']).ended).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
    expect((await start(script, ['-V']).ended).stdout).toBe('0.1.0\n');
  });

  it.each([
    [
      ['sessions', 'get', 'x', '--json'],
      ['x', '--json'],
    ],
    [
      ['--profile', 'get', 'sessions', 'get', 'x'],
      ['--profile', 'get', 'x'],
    ],
    [
      ['--json', 'sessions', '-o', 'yaml', 'get', 'x'],
      ['--json', '-o', 'yaml', 'x'],
    ],
    [['--profile=sessions', 'sessions', 'get'], ['--profile=sessions']],
    [['help', 'sessions', 'get'], ['--help']],
  ])('finds the command in %j', async (line, rest) => {
    const script = await install({ 'sessions-get': TELL });
    const { code, stdout } = await start(script, line).ended;
    expect({ code, argv: JSON.parse(stdout) }).toEqual({ code: 0, argv: rest });
  });

  it.each([[[]], [['--help']], [['sessions']], [['sessions', 'gett', 'x']], [['--', 'sessions', 'get']]])(
    'hands %j whole to the bundle that knows all names',
    async (line) => {
      const script = await install({ _root: TELL });
      expect(JSON.parse((await start(script, line).ended).stdout)).toEqual(line);
    },
  );

  it('ends with the code that the program gives', async () => {
    const script = await install({ 'sessions-get': 'return Promise.resolve(8);' });
    expect((await start(script, ['sessions', 'get']).ended).code).toBe(8);
  });

  it('ends with 70 where the program never ends', async () => {
    const script = await install({ 'sessions-get': 'return new Promise(() => {});' });
    const { code, stderr } = await start(script, ['sessions', 'get']).ended;
    expect(code).toBe(70);
    expect(stderr).toContain('ended before the command was complete');
  });

  it('ends with 70 and says why where a bundle is missing or broken', async () => {
    const [none, broken] = [await install({}), await install({ 'sessions-get': '' })];
    for (const text of ['', 'exports.main = (', 'exports.other = 1;']) {
      await writeFile(join(broken, '../commands/sessions-get.cjs'), text);
      for (const script of [none, broken]) {
        const { code, stderr } = await start(script, ['sessions', 'get']).ended;
        expect({ code, stderr }).toMatchObject({
          code: 70,
          stderr: expect.stringContaining('install sonde again'),
        });
      }
    }
  });

  it.each([
    ['thrown', 'setTimeout(() => { throw new Error("lost"); }, 1);'],
    ['rejected', 'Promise.reject(new Error("lost"));'],
  ])('hands what was %s behind its back to the program', async (_how, lose) => {
    const script = await install({
      'sessions-get': `return new Promise((resolve) => {
        host.onCrash((error) => { process.stdout.write(error.message); resolve(70); }); ${lose} });`,
    });
    const { code, stdout } = await start(script, ['sessions', 'get']).ended;
    expect({ code, stdout }).toEqual({ code: 70, stdout: 'lost' });
  });

  it('lets the program end in order on a signal, and ends at once on the second', async () => {
    const waits = 'setInterval(() => {}, 1000); process.stdout.write("ready");';
    const polite = await install({
      'sessions-get': `${waits} return new Promise((resolve) => host.onStop((signal) => resolve(signal === 'SIGTERM' ? 143 : 1)));`,
    });
    const first = start(polite, ['sessions', 'get']);
    await first.ready;
    first.child.kill('SIGTERM');
    expect((await first.ended).code).toBe(143);

    const stubborn = await install({
      'sessions-get': `${waits} host.onStop(() => process.stderr.write('asked')); return new Promise(() => {});`,
    });
    const second = start(stubborn, ['sessions', 'get']);
    await second.ready;
    second.child.kill('SIGINT');
    await new Promise((resolve) => second.child.stderr.once('data', resolve));
    second.child.kill('SIGINT');
    expect((await second.ended).code).toBe(130);
  });
});
