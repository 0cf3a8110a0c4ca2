/** The notice of a newer version, by a build that says where it is published: seldom, in a terminal alone, in nobody's way. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../scripts/bundle.mjs';
import { commandFiles } from '../../scripts/manifest.mjs';
import { bareEnv, plain, sonde, sondeInTerminal } from '../support/binary.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/folder.ts';
import { answer, serveSockets, serveWith } from '../support/http.ts';
import { PROOF } from '../support/proof.ts';
import { sampleOf } from '../support/sampled.ts';

const REPOSITORY = 'https://code.example.com/team/sonde';
let dist: string;
let binary: string;

beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), 'sonde-released-'));
  binary = join(dist, 'sonde.cjs');
  const { outputs } = await bundle(await commandFiles(), {
    version: '0.1.0',
    repository: { type: 'git', url: `git+${REPOSITORY}.git` },
    // Where nobody listens: every test names its own.
    publishConfig: { registry: 'http://127.0.0.1:9/' },
  });
  for (const [path, contents] of outputs) {
    await mkdir(dirname(join(dist, path)), { recursive: true });
    await writeFile(join(dist, path), contents);
  }
});
afterAll(() => rm(dist, { recursive: true, force: true }));

/** A user whose registry has this version, of this repository. */
async function user(version: string, repository = REPOSITORY) {
  const registry = await serveWith((_, response) =>
    answer(response, { body: { name: 'sonde', version, repository: { url: repository } } }),
  );
  return { ...(await userOf(registry.url)), registry };
}

async function userOf(registry: string) {
  const home = await temporaryFolder();
  const state = join(home, '.local/state/sonde/updates.json');
  const run = async (line: string, more: Record<string, string> = {}) => {
    const env = bareEnv(home, { npm_config_registry: registry, ...more });
    const { code, screen } = await sondeInTerminal(line.split(' '), { env, binary, columns: 200 });
    return { code, text: plain(screen), screen };
  };
  const remembered = async () => JSON.parse(await readFile(state, 'utf8').catch(() => '{}'));
  return { home, state, run, remembered };
}

describe('a newer version', () => {
  it('is asked for by one command, told by the next in one line, and not again that day', async () => {
    const { run, registry, remembered } = await user('9.9.9');
    const first = await run('profiles list');
    expect(first.text).not.toContain('9.9.9');
    await eventually(async () => expect((await remembered()).latest).toBe('9.9.9'));
    const second = await run('profiles list');
    expect(second.code).toBe(0);
    expect(second.text).toContain(
      'sonde 9.9.9 is available (installed: 0.1.0). To update, run: npm install -g sonde. To disable this notice, set SONDE_NO_UPDATE_NOTIFIER=1',
    );
    expect(second.text.trimEnd().split('\n').at(-1)).toContain('9.9.9');
    expect((await run('profiles list')).text).not.toContain('9.9.9');
    expect(registry.requests).toHaveLength(1);
  });

  it('is asked for and told again the next day', async () => {
    const { run, registry, state, remembered } = await user('9.9.9');
    await mkdir(dirname(state), { recursive: true });
    const yesterday = Date.now() - 25 * 60 * 60 * 1000;
    await writeFile(state, JSON.stringify({ askedAt: yesterday, toldAt: yesterday, latest: '5.5.5' }));
    expect((await run('profiles list')).text).toContain('5.5.5');
    await eventually(async () => expect((await remembered()).latest).toBe('9.9.9'));
    expect(registry.requests).toHaveLength(1);
  });

  it('of a package that only has our name is none', async () => {
    const { run, registry, remembered } = await user('9.9.9', 'https://evil.example.com/sonde');
    await run('profiles list');
    await eventually(() => expect(registry.requests.length).toBe(1));
    await run('profiles list');
    expect((await run('profiles list')).text).not.toContain('9.9.9');
    expect((await remembered()).latest).toBeUndefined();
  });
});

describe('nobody is asked', () => {
  const lines: readonly (readonly [why: string, line: string, env: Record<string, string>])[] = [
    ['with --quiet', 'profiles list --quiet', {}],
    ['with --json', 'profiles list --json', {}],
    ['with -o', 'profiles list -o yaml', {}],
    ['for --version', '--version', {}],
    ['for --help', 'profiles --help', {}],
    ['in CI', 'profiles list', { CI: 'true' }],
    ['with SONDE_NO_UPDATE_NOTIFIER', 'profiles list', { SONDE_NO_UPDATE_NOTIFIER: '1' }],
    ['with NO_UPDATE_NOTIFIER', 'profiles list', { NO_UPDATE_NOTIFIER: '1' }],
    ['after an error', 'profiles use nobody', {}],
  ];
  it.each(sampleOf(lines, 3))('%s', async (_, line, more) => {
    const { run, state, registry } = await user('9.9.9');
    await run(line, more);
    expect(existsSync(state)).toBe(false);
    expect(registry.requests).toEqual([]);
  });

  it('with "updates: false" in the user\'s file', async () => {
    const { run, home, state } = await user('9.9.9');
    await mkdir(join(home, '.config/sonde'), { recursive: true });
    await writeFile(join(home, '.config/sonde/config.yaml'), 'updates: false\n', { mode: 0o600 });
    expect((await run('profiles list')).code).toBe(0);
    expect(existsSync(state)).toBe(false);
  });

  it('by a gate that ends well', async () => {
    const { run, state } = await user('9.9.9');
    const id = '00000000-0000-4000-8000-000000000000';
    const session = { checkSessionId: id, status: 'PASSED', name: 'Shop', ...PROOF };
    const { url } = await serveWith((_, response) => answer(response, { body: session }));
    const { code, text } = await run(`sessions wait ${id}`, { SONDE_BASE_URL: url, SONDE_API_KEY: 'sk-x' });
    expect(code, text).toBe(0);
    expect(existsSync(state)).toBe(false);
  });

  it('in a pipe', async () => {
    const { home, state } = await user('9.9.9');
    await sonde(['profiles', 'list'], { env: bareEnv(home), binary });
    expect(existsSync(state)).toBe(false);
  });

  it('where nothing can be remembered, and the command knows nothing of it', async () => {
    const { run, home, registry } = await user('9.9.9');
    await writeFile(join(home, '.local'), 'a file, not a folder');
    const { code, text } = await run('profiles list');
    expect(code).toBe(0);
    expect(text).not.toMatch(/rror|9\.9\.9/);
    expect(registry.requests).toEqual([]);
  });

  it('by a build whose package says nothing of where it is published, as ours now', async () => {
    const { publishConfig } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(publishConfig).toBeUndefined();
    const { home, state, registry } = await user('9.9.9');
    await sondeInTerminal(['profiles', 'list'], {
      env: bareEnv(home, { npm_config_registry: registry.url }),
    });
    expect(existsSync(state)).toBe(false);
  });
});

describe('a registry that never answers', () => {
  it('holds no command, and is asked by a process that has no key', async () => {
    const mute = await serveSockets(() => {});
    const { run, home } = await userOf(mute.url);
    const { code } = await run('profiles list', {
      SONDE_API_KEY: 'sk-hush-hush-1',
      SONDE_BASE_URL: 'http://127.0.0.1:9',
    });
    expect(code).toBe(0);
    await eventually(() => expect(mute.sockets.length).toBe(1));
    const asking = await processOf(home);
    expect(await readFile(`/proc/${asking}/environ`, 'utf8')).not.toMatch(/sk-hush|SONDE_|HOME=/);
    expect(await readFile(`/proc/${asking}/cmdline`, 'utf8')).not.toContain('sk-hush');
    process.kill(asking);
  });
});

/** The process whose command line holds the text. */
async function processOf(text: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const lines = await Promise.all(
    pids.map(async (pid) => ({ pid, line: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') })),
  );
  return Number(lines.find(({ line }) => line.includes(text) && line.includes('update.cjs'))?.pid);
}
