/** Exit codes and streams, end to end: each code of the contract is produced once, and errors are where they belong. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bareEnv,
  errorOf,
  type Ran,
  type RunOptions,
  shell,
  sonde,
  sondeInTerminal,
  watchSonde,
} from '../support/binary.ts';
import { emptyHome } from '../support/e2e.ts';
import { freePort } from '../support/free-port.ts';
import { fresh, makeSession, NO_NUMBER, startEndlessSession, startWorld, type World } from './world.ts';

let world: World;
let stranger: Awaited<ReturnType<typeof emptyHome>>;
/** A session that does not end while these tests run. */
let open: string;
beforeAll(async () => {
  world = await startWorld();
  stranger = await emptyHome();
  open = await startEndlessSession(world);
});
afterAll(async () => {
  await Promise.all([world.service.close(), world.names.close(), stranger.remove()]);
});

const run = (args: readonly string[], options: Partial<RunOptions> = {}): Promise<Ran> =>
  sonde(args, { env: world.service.env, ...options });

async function makeSnippet(): Promise<string> {
  const body = { name: fresh('snippet'), script: '// nothing' };
  return String((await world.service.make<{ id: number }>('POST /v1/snippets', body)).id);
}

/** How each code of the table in docs/commands.md comes about; 70 is a bug, which no test can order. */
const CODES: Readonly<Record<number, () => Promise<number | null>>> = {
  0: async () => (await run(['sessions', 'get', open])).code,
  1: async () => {
    const { id } = await makeSession(world, 'missing.test');
    return (await run(['sessions', 'wait', id])).code;
  },
  2: async () => (await run(['sessions', 'list', '--limit', 'many'])).code,
  3: async () => (await run(['api', 'get', '/v1/snippets?limit=0'])).code,
  4: async () => (await run(['static-ips'], { env: bareEnv(stranger.home) })).code,
  5: async () => (await run(['maintenance', 'get', NO_NUMBER])).code,
  6: async () => {
    const env = {
      ...world.service.env,
      SONDE_BASE_URL: `http://127.0.0.1:${await freePort()}`,
      SONDE_API_KEY: 'k',
    };
    return (await run(['static-ips', '--retry-budget', '0s'], { env })).code;
  },
  7: async () => (await run(['sessions', 'wait', open, '--timeout', '1s'])).code,
  8: async () => {
    const id = await startEndlessSession(world);
    await world.service.make(`POST /v1/check-sessions/${id}/cancel`);
    return (await run(['sessions', 'wait', id])).code;
  },
  9: async () => {
    const id = await makeSnippet();
    const keys = [[`Delete the snippet ${id}?`, 'n\r']] as const;
    const { code } = await sondeInTerminal(['delete', 'snippet', id], { env: world.service.env, keys });
    await world.service.make(`GET /v1/snippets/${id}`);
    return code;
  },
  74: async () => (await shell('sonde static-ips > /dev/full', { env: world.service.env })).code,
  129: () => stopped('SIGHUP'),
  130: () => stopped('SIGINT'),
  143: () => stopped('SIGTERM'),
};

async function stopped(signal: NodeJS.Signals): Promise<number | null> {
  const waiting = watchSonde(['sessions', 'wait', open, '--trace'], { env: world.service.env });
  await waiting.saw('> GET ');
  waiting.child.kill(signal);
  return (await waiting.ended).code;
}

describe('exit codes', () => {
  it.each(Object.entries(CODES))('%s comes about as the contract says', async (code, produce) => {
    expect(await produce()).toBe(Number(code));
  });

  it('9 changes nothing, and a yes does', async () => {
    const id = await makeSnippet();
    const keys = [[`Delete the snippet ${id}?`, 'y\r']] as const;
    const { code, screen } = await sondeInTerminal(['delete', 'snippet', id], {
      env: world.service.env,
      keys,
    });
    expect(code, screen).toBe(0);
    expect((await world.service.api(`GET /v1/snippets/${id}`)).status).toBe(404);
  });

  it('2 where an answer is needed and nobody can give it', async () => {
    const id = await makeSnippet();
    const { code, stderr } = await run(['delete', 'snippet', id]);
    expect(code).toBe(2);
    expect(stderr).toContain('--yes');
    await world.service.make(`GET /v1/snippets/${id}`);
  });

  it('5 of several deletions: every one is tried and told, as an array in the order given', async () => {
    const [first, second] = [await makeSnippet(), await makeSnippet()];
    const { code, stdout, stderr } = await run(['delete', 'snippet', '-', '--yes', '--json'], {
      stdin: `${first}\n${NO_NUMBER}\n${second}\n`,
    });
    expect(code, stderr).toBe(5);
    expect(JSON.parse(stdout)).toEqual([
      { id: Number(first), deleted: true },
      { id: Number(NO_NUMBER), deleted: false },
      { id: Number(second), deleted: true },
    ]);
    expect((await run(['delete', 'snippet', first, '--yes', '--ignore-missing'])).code).toBe(0);
  });

  it('2 where stdin names no ids', async () => {
    expect((await run(['delete', 'snippet', '-', '--yes'])).code).toBe(2);
  });
});

describe('streams', () => {
  it('prints an error as one JSON object on stderr, and nothing on stdout', async () => {
    const { code, stdout, stderr } = await run(['maintenance', 'get', NO_NUMBER, '--json']);
    expect(code).toBe(5);
    expect(stdout).toBe('');
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(errorOf(stderr)).toEqual({
      kind: 'api',
      message: expect.stringContaining(NO_NUMBER),
      status: 404,
      endpoint: 'GET /v1/maintenance-windows/{id}',
      requestId: expect.stringMatching(/./),
      details: [],
      hint: expect.any(String),
    });
  });

  it('lists every problem of a command line in it', async () => {
    const args = [
      'checks',
      'create-dns',
      '--query',
      'q.test',
      '--frequency',
      '7',
      '--max-response-time',
      '5001',
      '--json',
    ];
    const { code, stdout, stderr } = await run(args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    const { kind, details } = errorOf(stderr) as { kind: string; details: { place: string }[] };
    expect(kind).toBe('usage');
    expect(details.map(({ place }) => place)).toEqual(
      expect.arrayContaining(['--name', '--frequency', '--max-response-time']),
    );
  });

  it('ends quietly with 0 where the reader has seen enough', async () => {
    const line = `sonde static-ips | head -n 1 | wc -l; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await shell(line, { env: world.service.env });
    expect(stdout.trim().split(/\s+/)).toEqual(['1', '0']);
    expect(stderr).toMatch(/^Warning: This service runs all public locations on its own machine: [^\n]+\n$/);
  });

  it('says that a result could not be written', async () => {
    const { code, stderr } = await shell('sonde static-ips --json > /dev/full', { env: world.service.env });
    expect(code).toBe(74);
    expect(errorOf(stderr)).toMatchObject({ kind: 'output' });
  });

  it('prints the line that takes a change back', async () => {
    const name = fresh('group');
    const { id } = await world.service.make<{ id: number }>('POST /v1/check-groups', { name });
    const state = join(world.service.home, 'state');
    await mkdir(state);
    const env = { ...world.service.env, XDG_STATE_HOME: state };
    const changed = await run(['groups', 'update', String(id), '--name', 'other'], { env });
    expect(changed.code, changed.stderr).toBe(0);
    const [, restore = ''] = /To undo this, run:\n {2}(sonde .*)$/m.exec(changed.stderr) ?? [];
    const back = await shell(restore, { env });
    expect(back.code, back.stderr).toBe(0);
    expect(await world.service.make(`GET /v1/check-groups/${id}`)).toMatchObject({ name });
  });
});
