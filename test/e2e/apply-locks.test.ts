/** Several applies of one project at once: exactly what the files declare exists afterwards, and the project owns all of it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRandom } from '../../src/base/random.ts';
import { createLockedState } from '../../src/cli/manifest/state/locked-state.ts';
import { encodeState, type ProjectLock } from '../../src/cli/manifest/state/project-state.ts';
import { createClient } from '../../src/client/index.ts';
import { stateSnippetName } from '../../src/contract/project-state.ts';
import { startApplyProxy } from '../cli/manifest/apply/apply-proxy.ts';
import { bareEnv, sonde, startSonde } from '../support/binary.ts';
import { createManualClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openPostgres } from '../support/postgres.ts';
import { send } from '../support/send.ts';
import { startTestService, type TestService } from '../support/service.ts';

const COUNT = 30;
const file = (project: string, count = COUNT): string => `
project: ${project}
groups: [{ name: ${project} }]
checks:
${Array.from({ length: count }, (_, index) => `  - { name: ${project} ${index}, checkType: URL, activated: false, group: ${project}, request: { url: https://a.test } }\n`).join('')}`;

/** Writes a project to a folder of its own, in which commands run against an account of its own. */
async function openProject(service: TestService, project: string, count?: number) {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, 'monitoring'));
  await writeFile(join(cwd, 'monitoring/all.yaml'), file(project, count));
  await writeFile(join(cwd, 'empty.yaml'), `project: ${project}\n`);
  const account = { ...service, ...(await service.newAccount()) };
  const env = bareEnv(cwd, { SONDE_BASE_URL: service.url, SONDE_API_KEY: account.apiKey });
  const run = (...argv: readonly string[]) => sonde(argv, { env, cwd });
  const list = async (path: string) =>
    (await send(account, `GET ${path}?limit=100`)).body as readonly Record<string, unknown>[];
  /** Expects that everything declared exists once, and belongs to the project. */
  const expectWhole = async (checks = COUNT): Promise<void> => {
    expect(await list('/v1/checks')).toHaveLength(checks);
    expect(await list('/v1/check-groups')).toHaveLength(1);
    expect(await list('/v1/snippets')).toHaveLength(1);
    const plan = await run('plan', '--prune', '--detailed-exitcode');
    expect([plan.code, plan.stdout]).toEqual([0, `No changes. ${checks + 1} resources are up to date.\n`]);
    const { undeclared } = JSON.parse((await run('plan', 'empty.yaml', '--json')).stdout);
    expect(undeclared).toHaveLength(checks + 1);
  };
  return { account, cwd, env, run, list, expectWhole };
}

const DATABASES: readonly (readonly [string, () => Promise<{ readonly url: string } | undefined>])[] = [
  ['SQLite', async () => undefined],
  ['Postgres', async () => ({ url: await (await openPostgres()).createDatabase() })],
];

describe.each(DATABASES)('three applies at once, on %s', (_, openDatabase) => {
  let service: TestService;
  beforeAll(async () => {
    const store = await openDatabase();
    service = await startTestService(store ? { store } : {});
  });
  afterAll(() => service.close());

  it('follow each other, if they wait', async () => {
    const { run, expectWhole } = await openProject(service, 'shop');
    const ran = await Promise.all([1, 2, 3].map(() => run('apply', '--yes', '--lock-timeout', '5m')));
    expect(
      ran.map(({ code }) => code),
      ran.map(({ stderr }) => stderr).join('\n'),
    ).toEqual([0, 0, 0]);
    await expectWhole();
  });

  it('end with 11 or 0, if they do not wait', async () => {
    const { run, expectWhole } = await openProject(service, 'shop');
    const ran = await Promise.all([1, 2, 3].map(() => run('apply', '--yes')));
    expect(ran.map(({ code }) => code)).toContain(0);
    for (const { code, stderr } of ran) {
      expect([0, 11], stderr).toContain(code);
      if (code === 11)
        expect(stderr).toMatch(/the project "shop" is locked by .+ on .+ \(process \d+\) since/);
    }
    await expectWhole();
  });
});

describe('a lock', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const foreign: ProjectLock = {
    id: 'another',
    user: 'ann',
    host: 'build-7',
    machine: 'another',
    pid: 4711,
    since: '2026-11-28T10:00:00.000Z',
    renewedAt: '2026-11-28T10:00:00.000Z',
  };
  const lockByHand = (account: Parameters<typeof send>[0], project: string) =>
    send(account, 'POST /v1/snippets', {
      name: stateSnippetName(project),
      script: encodeState({ project, resources: [], lock: foreign }),
    });

  it('of another machine is respected until somebody unlocks the project', async () => {
    const { run, account, list, expectWhole } = await openProject(service, 'shop', 2);
    await lockByHand(account, 'shop');
    const planned = await run('plan');
    expect([planned.code, planned.stderr]).toEqual([
      0,
      expect.stringContaining(
        'The project "shop" is locked by ann on build-7 (process 4711) since 2026-11-28T10:00:00.000Z: an apply may change',
      ),
    ]);
    for (const flags of [[], ['--lock-timeout', '10ms']]) {
      const { code, stderr } = await run('apply', '--yes', ...flags);
      expect([code, stderr]).toEqual([
        11,
        expect.stringContaining(
          'the project "shop" is locked by ann on build-7 (process 4711) since 2026-11-28T10:00:00.000Z; nothing was changed',
        ),
      ]);
    }
    expect(await list('/v1/checks')).toEqual([]);
    expect((await run('unlock', 'shop')).code).toBe(2);
    expect((await run('unlock', 'blog', '--yes')).code).toBe(5);
    expect((await run('unlock', 'shop', '--yes')).stderr).toContain('which ann on build-7 (process 4711)');
    expect((await run('unlock', 'shop', '--yes')).stderr).toContain('The project "shop" is not locked.');
    expect((await run('apply', '--yes')).code).toBe(0);
    await expectWhole(2);
  });

  it('expires if its holder gives no sign of life', async () => {
    // By the clock of this service, the lock was written in the past.
    const past = await startTestService({ clock: createManualClock(Date.now() - 3_600_000) });
    const { run, account, expectWhole } = await openProject(past, 'shop', 2);
    await lockByHand(account, 'shop');
    expect((await run('apply', '--yes')).code).toBe(0);
    await expectWhole(2);
    await past.close();
  });

  it('that is lost stops its former holder before the next change', async () => {
    const { run, account, env, cwd, expectWhole } = await openProject(service, 'shop', 5);
    const proxy = await startApplyProxy(service.url);
    let stopped = () => {};
    const isStopped = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    proxy.meet('POST /v1/check-groups', 'lost', {
      batches: false,
      onFault: () => {
        holder.child.kill('SIGSTOP');
        stopped();
      },
    });
    const holder = startSonde(['apply', '--yes'], { env: { ...env, SONDE_BASE_URL: proxy.url }, cwd });
    await isStopped;
    const { code, stderr } = await run('apply', '--yes');
    expect([code, stderr]).toEqual([11, expect.stringContaining(`(process ${holder.pid})`)]);
    expect((await run('unlock', 'shop', '--yes')).code).toBe(0);
    expect((await run('apply', '--yes')).code).toBe(0);
    holder.child.kill('SIGCONT');
    const ended = await holder.ended;
    expect([ended.code, ended.stderr]).toEqual([11, expect.stringContaining('lost the lock of the project')]);
    await expectWhole(5);
    expect(account.apiKey).not.toBe('');
    await proxy.close();
  });

  it('fences its former holder: the service refuses its write, and its lease ends by its own clock', async () => {
    const { account, list } = await openProject(service, 'shop');
    const open = (pid: number) => {
      const clock = createManualClock(Date.now());
      const client = createClient({
        baseUrl: account.url,
        getKey: async () => account.apiKey,
        userAgent: 'sonde-test',
        clock,
        random: systemRandom,
      });
      const self = {
        pid,
        kill: () => {
          throw Object.assign(new Error('no such process'), { code: 'ESRCH' });
        },
      };
      // In a suspended process, no timer ends.
      const suspended = { ...clock, timer: () => () => {} };
      const deps = { client: async () => client, clock: suspended, random: systemRandom, self };
      const own = async () => {
        const [row] = await list('/v1/snippets');
        return {
          project: 'shop',
          resources: [],
          snippetIds: row ? [Number(row.id)] : [],
          ...(row ? { script: String(row.script) } : {}),
        };
      };
      return { clock, create: async () => createLockedState(deps, await own(), () => []) };
    };
    const { signal } = new AbortController();
    const [one, other] = [open(1), open(2)];
    const first = await one.create();
    await first.hold(signal);
    first.assertHeld();
    const second = await other.create();
    await second.hold(signal);
    await expect(first.close(signal)).rejects.toThrow('lost the lock');
    expect(first.assertHeld).toThrow('lost the lock');
    second.assertHeld();
    await other.clock.advance(60_000);
    expect(second.assertHeld).toThrow('lost the lock');
  });
});
