/** The API key, end to end: it is in the user's own file and nowhere else, whatever is run and whatever goes wrong. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bareEnv, type Ran, type RunOptions, sonde, sondeInTerminal, watchSonde } from '../support/binary.ts';
import { type E2eService, emptyHome, startE2eService } from '../support/e2e.ts';
import { answer, serveSockets, serveWith } from '../support/http.ts';
import { NO_NUMBER, NOBODY } from './world.ts';

let service: E2eService;
beforeAll(async () => {
  service = await startE2eService('--log-level', 'trace');
});
afterAll(() => service.close());

/** Runs it with `--trace`, and holds that the key is in nothing it says. */
async function traced(args: readonly string[], options: Partial<RunOptions> = {}): Promise<Ran> {
  const ran = await sonde([...args, '--trace'], { env: service.env, ...options });
  expect(ran.stdout + ran.stderr).not.toContain(service.key);
  return ran;
}

/** Every file below a folder that holds the text. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const holding = await Promise.all(
    files.map(async (file) => ((await readFile(file)).includes(text) ? [file] : [])),
  );
  return holding.flat();
}

const WELL: readonly (readonly string[])[] = [
  ['whoami'],
  ['whoami', '--json'],
  ['profiles', 'list', '--json'],
  ['profiles', 'show'],
  ['static-ips', '--json'],
  ['api', 'get', '/v1/maintenance-windows', '--include'],
  ['api', 'post', '/v1/snippets', '--field', 'name=s', '--field', 'script=x', '--dry-run'],
  ['checks', 'create-browser', '--name', 'n', '--script', 'x', '--env', 'A=b', '--dry-run', '--json'],
  ['checks', 'create-dns', '--name', 'n', '--query', 'q.test', '--no-activated', '-o', 'yaml'],
];
const BADLY: readonly (readonly [number, readonly string[]])[] = [
  [2, ['sessions', 'list', '--limit', 'many']],
  [3, ['api', 'get', '/v1/snippets?limit=0']],
  [4, ['static-ips', '--account', NOBODY]],
  [5, ['maintenance', 'get', NO_NUMBER, '--json']],
  [5, ['sessions', 'wait', NOBODY]],
  [5, ['delete', 'snippet', NO_NUMBER, '--yes']],
];

describe('the key', () => {
  it.each(WELL.map((args) => [args.join(' '), args] as const))('is not shown by: %s', async (_, args) => {
    const { code, stderr } = await traced(args);
    expect(code, stderr).toBe(0);
  });

  it.each(BADLY.map(([code, args]) => [code, args.join(' '), args] as const))(
    'is not shown by what ends with %i: %s',
    async (code, _, args) => {
      expect((await traced(args)).code).toBe(code);
    },
  );

  it('is left out of a trace that shows the rest of the request', async () => {
    const { stderr } = await traced(['static-ips']);
    expect(stderr).toContain(`> GET ${service.url}/v1/static-ips-by-region`);
    expect(stderr).toMatch(/^> authorization: Bearer \*+$/m);
    expect(stderr).toContain(`x-service-account: ${service.accountId}`);
  });

  it('is not shown by a service that tells it back', async () => {
    const echo = await serveWith(({ headers }, response) =>
      answer(response, { status: 400, body: { message: `no: ${headers.authorization}`, attributes: {} } }),
    );
    const env = { ...service.env, SONDE_BASE_URL: echo.url, SONDE_API_KEY: service.key };
    for (const more of [[], ['--json']]) {
      expect((await traced(['static-ips', ...more], { env })).code).toBe(3);
    }
    expect(echo.requests[0]?.headers.authorization).toBe(`Bearer ${service.key}`);
  });

  it('is not shown by a gate whose sessions are named by it, while it waits and at its end', async () => {
    const key = service.key;
    const echo = await serveWith(({ url }, response) => {
      const id = /sessions\/([^/]+)/.exec(url)?.[1] ?? '';
      const status = url.includes('completion') ? 'FAILED' : 'PROGRESS';
      const results = [{ checkResultId: id, name: key, runLocation: `at-${key}`, hasFailures: true }];
      answer(response, { body: { checkSessionId: id, status, name: `Shop ${key}`, results } });
    });
    const env = { ...service.env, SONDE_BASE_URL: echo.url, SONDE_API_KEY: key };
    const inPipe = await sonde(['sessions', 'wait', NOBODY], { env });
    expect(inPipe.code).toBe(1);
    expect(inPipe.stderr).toContain('Shop ***');
    expect(inPipe.stderr).not.toContain(key);
    const seen = await sondeInTerminal(['sessions', 'wait', NOBODY], { env, columns: 300 });
    expect(seen.code).toBe(1);
    expect(seen.screen).toContain('***');
    expect(seen.screen).not.toContain(key);
  });

  it('is not shown where what answers speaks no HTTP', async () => {
    const { url } = await serveSockets((socket) => socket.once('data', (sent) => socket.end(sent)));
    const env = { ...service.env, SONDE_BASE_URL: url, SONDE_API_KEY: service.key };
    const { code } = await traced(['static-ips', '--retry-budget', '0s'], { env });
    expect(code).toBe(6);
  });

  it('that was saved goes to no other host, by flag or by project file', async () => {
    const other = await serveSockets((socket) => socket.destroy());
    const { code, stderr } = await traced(['static-ips', '--base-url', other.url]);
    expect(code).toBe(4);
    expect(stderr).toContain(other.url);
    expect(other.sockets).toHaveLength(0);
  });

  it('is read from stdin at login, saved for its owner alone, and removed at logout', async () => {
    const { home, remove } = await emptyHome();
    onTestFinished(remove);
    const env = bareEnv(home);
    const login = await traced(['login', '--base-url', service.url], { env, stdin: `${service.key}\n` });
    expect(login.code, login.stderr).toBe(0);
    const file = join(home, '.config/sonde/config.yaml');
    expect(await filesWith(home, service.key)).toEqual([file]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await traced(['static-ips'], { env })).code).toBe(0);
    expect((await traced(['logout', '--yes'], { env })).code).toBe(0);
    expect(await filesWith(home, service.key)).toEqual([]);
  });

  it('is not shown while it is typed', async () => {
    const { home, remove } = await emptyHome();
    onTestFinished(remove);
    const { code, screen } = await sondeInTerminal(
      ['login', '--base-url', service.url, '--profile', 'typed'],
      {
        env: bareEnv(home),
        keys: [
          ['key', `${service.key}\r`],
          ['ccount', '\r'],
        ],
      },
    );
    expect(code, screen).toBe(0);
    expect(screen).not.toContain(service.key);
    expect(await filesWith(home, service.key)).toHaveLength(1);
  });

  it.runIf(process.platform === 'linux')('stands in no process list', async () => {
    const { url } = await serveSockets(() => {});
    const env = { ...service.env, SONDE_BASE_URL: url, SONDE_API_KEY: service.key };
    const asking = watchSonde(['sessions', 'wait', NOBODY, '--trace'], { env });
    await asking.saw('> GET ');
    const pids = [asking.pid, service.pid()];
    const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8')));
    expect(lines[0]).toContain(`wait\0${NOBODY}`);
    expect(lines[1]).toContain('service\0start');
    for (const line of lines) expect(line).not.toContain(service.key);
  });

  it("is in the user's file alone: neither in the store, the log, nor in what commands leave behind", async () => {
    const { id } = await service.make<{ id: number }>('POST /v1/check-groups', { name: 'kept' });
    const change = await traced(['groups', 'update', String(id), '--name', 'other']);
    expect(change.code, change.stderr).toBe(0);
    const file = join(service.home, '.config/sonde/config.yaml');
    expect(await filesWith(join(service.home, '..'), service.key)).toEqual([file]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(service.log()).toContain('"level":30');
    expect(service.log()).not.toContain(service.key);
    // What the search would find if it were there: the account stands beside the key's hash.
    expect((await filesWith(service.data, service.accountId)).length).toBeGreaterThan(0);
  });
});
